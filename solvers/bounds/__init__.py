"""What is proven about the optimum: certificates, delayed information, root bounds."""
