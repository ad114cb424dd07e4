"""Does a solver keep the contract?"""
