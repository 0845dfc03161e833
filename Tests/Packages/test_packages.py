# SPDX-License-Identifier: MIT
"""The Debian packages on a bare Debian without Swift: installed, used, upgraded and purged.

Run by Scripts/package test.
"""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from bare_system import PACKAGES, ROOT, USERS, BareSystem, names, raised
from unified_cache import CLIENT, signed_in

GROUP = "com.contoso.shared"
READ = f"sso-cache token --group {GROUP} --client-id {CLIENT} --account ada@contoso.com --scope mail.read --json"
OPEN = """dbus-send --session --print-reply --dest=org.secretstorecache.Agent1 /org/secretstorecache/Agent1 \
    org.secretstorecache.Agent1.Open string:com.contoso string:com.contoso.shared"""


# What the tests need besides what the packages need.
BESIDES = ("gnome-keyring", "dbus-daemon", "desktop-file-utils", "zsh")


def setUpModule():
    global system, before
    system = BareSystem()
    unittest.addModuleCleanup(system.remove)
    system.output("apt-get --quiet=2 update")
    system.output("".join(f"useradd --create-home --shell /bin/bash {user}\n" for user in USERS))
    planned = system.output(f"apt-get --simulate install /packages/*.deb {' '.join(BESIDES)}")
    needed = {line.split()[1] for line in planned.splitlines() if line.startswith("Inst ")} - set(names())
    system.output(f"apt-get --quiet=2 install --yes --no-install-recommends {' '.join(sorted(needed))}")
    before = system.files()
    system.install()


class PackagesTests(unittest.TestCase):
    def save(self, user):
        """Saves a token as a user, and returns it."""
        cache, token = signed_in()
        system.output(f"sso-cache import --group {GROUP} --format msal -", user, stdin=json.dumps(cache))
        return token

    def token(self, user):
        return json.loads(system.output(READ, user))["access_token"]

    def test_the_programs_need_no_swift(self):
        self.assertEqual(system.output("find /usr/bin /usr/lib /usr/libexec /usr/local /opt -iname '*swift*'"), "")
        programs = system.output(
            f"dpkg --listfiles {' '.join(names())} | grep -E '^/usr/(bin|libexec)/'").split()
        self.assertLessEqual(
            {"/usr/bin/sso-cache", "/usr/libexec/sso-cache-oidc", "/usr/libexec/secret-store-agent",
             "/usr/bin/contoso-mail", "/usr/bin/contoso-calendar", "/usr/bin/fabrikam"}, set(programs))
        self.assertNotIn("not found", system.output(f"ldd {' '.join(programs)}"))

    def test_the_version_is_that_of_the_changelog(self):
        version = subprocess.run([ROOT / "Scripts/support/version"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(system.output("sso-cache --version"), version)
        installed = system.output(f"dpkg-query --show --showformat='${{Version}}\\n' {' '.join(names())}")
        self.assertEqual(set(installed.split()), {version.strip().replace("-", "~")})

    def test_doctor_finds_nothing_wrong_in_a_session(self):
        report = json.loads(system.output("sso-cache doctor --json", "ada"))
        self.assertGreater(len(report["checks"]), 5)
        self.assertEqual([check for check in report["checks"] if check["status"] == "error"], [])

    def test_a_token_is_saved_and_read(self):
        saved = self.save("grace")
        self.assertEqual(self.token("grace"), saved)

    def test_the_bus_starts_the_agent(self):
        out = system.output(f"{OPEN}\nsso-cache agent status\ncat /proc/[0-9]*/cmdline | tr '\\0' '\\n'", "ada")
        self.assertIn("file descriptor", out)
        self.assertNotIn("The agent does not run", out)
        self.assertIn("/usr/libexec/secret-store-agent", out.splitlines())

    def test_systemd_accepts_the_agents_unit(self):
        outcome = system.run(
            "systemd-analyze --user --man=no verify /usr/lib/systemd/user/secret-store-agent.service", "ada")
        self.assertEqual((outcome.status, outcome.stdout, outcome.stderr), (0, "", ""))

    def test_an_example_finds_nobody_signed_in(self):
        for app in ("contoso-mail", "contoso-calendar"):
            self.assertEqual(system.run(f"{app} read --issuer https://id.contoso.com", "ada").status, 10)
        self.assertEqual(system.run("fabrikam", "ada").status, 77)

    def test_the_desktop_knows_the_examples(self):
        apps = json.loads(system.output("sso-cache apps --json", "ada"))["apps"]
        found = {app["id"]: app["problems"] for app in apps}
        self.assertEqual(found, {"com.contoso.mail": [], "com.contoso.calendar": [], "com.fabrikam.spy": []})

    def test_zsh_finds_the_completions(self):
        script = "zsh -c 'autoload -U compinit; compinit -u -D; print $_comps[sso-cache]'"
        self.assertEqual(system.output(script, "ada"), "_sso-cache\n")

    def test_an_upgrade_keeps_the_data(self):
        saved = self.save("joan")
        with tempfile.TemporaryDirectory() as folder:
            raised(Path(folder), "99.0")
            system.install(Path(folder))
        self.addCleanup(system.output, "apt-get --quiet=2 install --yes --allow-downgrades /packages/*.deb")
        self.assertEqual(system.output("dpkg-query --show --showformat='${Version}' sso-cache"), "99.0")
        self.assertEqual(self.token("joan"), saved)

    def test_a_purge_leaves_the_users_data_and_nothing_else(self):
        saved = self.save("mary")
        own = "find /home/mary -type f -print0 | sort -z | xargs -0 sha256sum"
        data = system.output(own)
        self.assertIn(".keyring", data)
        system.output(f"apt-get --quiet=2 purge --yes {' '.join(names())}")
        self.addCleanup(system.install)
        self.assertEqual(system.output(own), data)
        self.assertEqual(system.files() - before, set())
        self.assertEqual(before - system.files(), set())
        known = system.output("dpkg-query --show --showformat='${binary:Package} ${db:Status-Status}\\n'")
        self.assertEqual([line for line in known.splitlines() if line.split()[0] in names()], [])
        system.install()
        self.assertEqual(self.token("mary"), saved)
