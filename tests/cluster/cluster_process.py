"""A cluster on this machine: PostgreSQL with a synchronous standby, nodes of `rein serve`, nginx before them.

For tests and for `make cluster`; standard library only. Everything listens on 127.0.0.1 and ends with this process.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REIN = os.environ.get("REIN_PROGRAM", os.path.join(ROOT, "build/rein"))
POSTGRES = os.path.join(ROOT, "scripts/postgres.sh")


# Nodes that listen elsewhere than on loopback need a token.
TOKEN = os.environ.get("REIN_TOKEN", "")
HEADERS = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {TOKEN}"} if TOKEN else {})


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def soon(done, what, seconds=60):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise SystemExit(f"cluster: after {seconds} s still not: {what}")
        time.sleep(0.05)


class Database:
    """A primary and its synchronous standby. After a failover they change places."""

    def __init__(self, folder, network=None):
        self.folder, self.ports = folder, free_ports(2)
        self.hosts = ["127.0.0.1", "127.0.0.1"]
        settings = []
        if network:
            self.hosts[0] = network.database
            settings = [f"listen_addresses=127.0.0.1,{network.database}"]
        self.run("start", str(self.ports[0]), *settings, variables={"REIN_WATCHED_PID": str(os.getpid())})
        if network:
            with open(os.path.join(folder, "primary/pg_hba.conf"), "a", encoding="utf-8") as rules:
                rules.write("host all all samenet trust\n")
            os.kill(self.pid(), signal.SIGHUP)
        self.run("standby", str(self.ports[1]))

    def run(self, verb, *words, variables=None):
        subprocess.run([POSTGRES, verb, self.folder, *words], check=True, env=os.environ | (variables or {}),
                       stdout=subprocess.DEVNULL)

    @property
    def url(self):
        hosts = ",".join(f"{host}:{port}" for host, port in zip(self.hosts, self.ports, strict=True))
        return f"postgres://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def pid(self, which="primary"):
        return int(subprocess.run([POSTGRES, "pid", self.folder, which], check=True, capture_output=True).stdout)

    def hang(self):
        """The primary with all its processes stands still."""
        children = subprocess.run(["pgrep", "-P", str(self.pid())], capture_output=True, text=True, check=False)
        for pid in [self.pid(), *map(int, children.stdout.split())]:
            os.kill(pid, signal.SIGSTOP)

    def guard(self):
        """What watches over the primary, and promotes the standby when it is gone."""
        return subprocess.Popen([POSTGRES, "guard", self.folder], stdout=subprocess.DEVNULL)

    def new_standby(self):
        self.run("swap")
        self.ports.reverse()
        self.run("standby", str(self.ports[1]))


class Node:
    def __init__(self, name, port, url, folder, network=None):
        self.name, self.port, self.url, self.process = name, port, url, None
        self.host, self.before = (network.host(name), network.command(name)) if network else ("127.0.0.1", [])
        self.log = os.path.join(folder, f"{name}.log")
        self.archive = os.path.join(folder, "archive")

    def start(self):
        """Entries move to an archive meanwhile."""
        keep = {"REIN_KEEP": "20 seconds", "REIN_ARCHIVE": self.archive}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.before, REIN, "serve", "--journal", self.url, "--node", self.name,
                 "--listen", f"{self.host}:{self.port}"],
                stdout=log, stderr=log, env=os.environ | keep)

    def metrics(self, model, *names):
        """Whole numbers, all of the same moment."""
        request = urllib.request.Request(f"http://{self.host}:{self.port}/metrics", headers=HEADERS)
        with urllib.request.urlopen(request, timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return [int(found[f'{name}{{model="{model}"}}']) for name in names]

    def signal(self, number):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()

    def ask(self, method, path, body=None, timeout=5):
        """(status, answer); (0, {}) if there was none."""
        request = urllib.request.Request(f"http://{self.host}:{self.port}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(), headers=HEADERS)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read() or b"{}")
        except OSError:
            return 0, {}


NGINX = """daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream nodes {{ {servers} keepalive 64; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://nodes; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1;
      proxy_connect_timeout 1s; proxy_read_timeout 6s; proxy_next_upstream error;
    }}
  }}
}}
"""


class Cluster:
    def __init__(self, names="abc", network=None):
        self.folder = tempfile.mkdtemp(prefix="rein_cluster_")
        os.chmod(self.folder, 0o755)  # PostgreSQL may run as another user
        atexit.register(self.end)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self.nginx = None
        self.nodes = []
        self.database = Database(os.path.join(self.folder, "pg"), network)
        ports = free_ports(len(names) + 1)
        self.nodes = [Node(name, port, self.database.url, self.folder, network)
                      for name, port in zip(names, ports, strict=False)]
        self.port = ports[-1]
        for node in self.nodes:
            node.start()
        servers = " ".join(f"server {node.host}:{node.port} max_fails=1 fail_timeout=1s;" for node in self.nodes)
        with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=self.folder, servers=servers, port=self.port))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.nginx = subprocess.Popen([program, "-c", os.path.join(self.folder, "nginx.conf"), "-e", "/dev/null"])
        soon(lambda: all(node.ask("GET", "/readyz")[0] == 200 for node in self.nodes), "nodes are ready")

    def alive(self):
        return [node for node in self.nodes if node.process.poll() is None]

    def view(self):
        for node in self.alive():
            status, answer = node.ask("GET", "/v1/cluster", timeout=2)
            if status == 200:
                return answer
        return {"models": [], "nodes": []}

    def owner(self, model):
        name = next((each["owner"] for each in self.view()["models"] if each["name"] == model), "")
        return next((node for node in self.alive() if node.name == name), None)

    def end(self):
        for process in [node.process for node in self.nodes] + [self.nginx]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate() if process is self.nginx else process.kill()  # its workers end with it
                process.wait()
        if hasattr(self, "database"):
            subprocess.run([POSTGRES, "remove", self.database.folder], check=False)
        if os.environ.get("REIN_KEEP_FOLDER") is None:
            shutil.rmtree(self.folder, ignore_errors=True)
