"""Files under contrib/ that cannot run here: that they are what they say, and name what the program has."""

import os
import re
import shutil
import subprocess
import unittest

import yaml

ROOT = os.environ["REIN_SOURCE_DIR"]


def text_of(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


class Compose(unittest.TestCase):
    def setUp(self):
        self.service = yaml.safe_load(text_of("contrib", "compose.yaml"))["services"]["rein"]

    def test_variables_are_those_of_the_settings(self):
        known = set(re.findall(r'"(REIN_[A-Z_]+)"', text_of("src", "serve", "settings.cc")))
        self.assertLessEqual(set(self.service["environment"]), known)
        self.assertIn("REIN_TOKEN", self.service["environment"], "another address than loopback needs one")

    def test_files_and_volumes_that_it_names_are_there(self):
        build = self.service["build"]
        self.assertTrue(os.path.exists(os.path.join(ROOT, "contrib", build["context"], build["dockerfile"])))
        volumes = yaml.safe_load(text_of("contrib", "compose.yaml"))["volumes"]
        for mounted in self.service["volumes"]:
            source = mounted.split(":")[0]
            there = source in volumes or os.path.exists(os.path.join(ROOT, "contrib", source))
            self.assertTrue(there, source)

    def test_it_is_open_to_this_machine_only(self):
        for port in self.service["ports"]:
            self.assertTrue(port.startswith("127.0.0.1:"), port)


class ComposeOfNodes(unittest.TestCase):
    def setUp(self):
        services = yaml.safe_load(text_of("contrib", "compose.nodes.yaml"))["services"]
        self.database = services.pop("database")
        self.nodes = services

    def test_the_program_takes_the_settings_of_each_node(self):
        self.assertEqual(len(self.nodes), 3)
        for name, node in self.nodes.items():
            given = {key: re.sub(r"\$\{\w+:\?[^}]*\}", "0123456789abcdef", value) for key, value in node["environment"].items()}
            self.assertNotIn("$", "".join(given.values()))
            config = os.path.join(ROOT, "contrib", node["volumes"][0].split(":")[0])
            done = subprocess.run([os.environ["REIN_PROGRAM"], "serve", "--check", "--config", config], check=False, text=True,
                                  capture_output=True, env={"PATH": os.environ["PATH"], **given})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((given["REIN_NODE"], given["REIN_ADVERTISE"]), (name, f"{name}:8080"))
            self.assertIn(name, given["REIN_HOSTS"].split(","), "others ask it by this name")
            self.assertIn("@database/", given["REIN_JOURNAL"])
            self.assertTrue(node["ports"][0].startswith("127.0.0.1:"))

    def test_nodes_have_one_database_with_the_same_password(self):
        passwords = {node["environment"]["REIN_JOURNAL"].split(":", 2)[2].split("@")[0] for node in self.nodes.values()}
        self.assertEqual(len(passwords), 1)
        self.assertIn("REIN_PASSWORD", self.database["environment"]["POSTGRES_PASSWORD"])
        self.assertEqual(len({node["ports"][0] for node in self.nodes.values()}), 3)


class Container(unittest.TestCase):
    def test_the_image_has_every_library_that_the_program_needs(self):
        program = os.environ["REIN_PROGRAM"]
        needed = re.findall(r"NEEDED +(\S+)", subprocess.run(["objdump", "-p", program], capture_output=True, text=True,
                                                              check=True).stdout)
        installed = text_of("contrib", "Containerfile")
        base = {"libc6", "libgcc-s1", "libstdc++6"}  # of the base image
        for library in needed:
            path = re.search(rf"{re.escape(library)} => (\S+)", subprocess.run(
                ["ldd", program], capture_output=True, text=True, check=True).stdout)
            if not path:
                continue
            found = subprocess.run(["dpkg", "-S", os.path.realpath(path.group(1))], capture_output=True, text=True,
                                   check=False).stdout or subprocess.run(["dpkg", "-S", path.group(1)], text=True,
                                                                         capture_output=True, check=False).stdout
            package = found.split(":")[0]
            if package == "librdkafka1":  # not built into the image: make build does not install it
                continue
            with self.subTest(library=library):
                self.assertTrue(package in base or re.search(rf"\b{re.escape(package)}(\s|$)", installed), package)


class Workflows(unittest.TestCase):
    def test_they_run_targets_that_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.M))
        folder = os.path.join(ROOT, ".github", "workflows")
        for name in os.listdir(folder):
            document = yaml.safe_load(text_of(".github", "workflows", name))
            steps = [step.get("run", "") for job in document["jobs"].values() for step in job["steps"]]
            for target in re.findall(r"\bmake ([a-z-]+)$", "\n".join(steps), re.M):
                self.assertIn(target, targets)
        self.assertIn("- run: .ci/run", text_of(".github", "workflows", "ci.yml"))

    @unittest.skipUnless(shutil.which("actionlint"), "actionlint is not installed (scripts/test_contrib.sh)")
    def test_actionlint_finds_nothing(self):
        done = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
