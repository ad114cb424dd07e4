import pytest

from pomdp_bridge.julia import environment


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """No Julia anywhere: no variables, nothing installed, an empty PATH."""
    for name in (environment.EXE, environment.PROJECT):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(environment, "_installed_by_juliapkg", lambda: None)
    return tmp_path


@pytest.fixture(autouse=True)
def _julia_or_skip(request):
    """Tests marked ``julia`` run where Julia is set up, and say why where it is not."""
    if request.node.get_closest_marker("julia"):
        _, finding = environment.check()
        if finding is not None:
            pytest.skip(str(finding))
