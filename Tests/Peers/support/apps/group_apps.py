# SPDX-License-Identifier: MIT
"""Apps that use MSAL Python with an access group."""

from msal_apps import App
from msal_extensions import PersistedTokenCache
from secretstorecache import AccessGroupPersistence, AccessGroupTokenCache
from unified_cache import CLIENT

# Two clients of one family, and one of none.
FIRST = "1950a258-227b-4e31-a9cf-717495945fc2"
SECOND = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
OUTSIDER = "aaaaaaaa-1111-4222-8333-444444444444"
SCOPE = "User.Read"


def new_cache(group, app, kind="cache"):
    if kind == "cache":
        return AccessGroupTokenCache(group, app=app)
    return PersistedTokenCache(AccessGroupPersistence(group, app=app))


class GroupApps:
    """Makes apps of one group that sign in at one provider."""

    def __init__(self, provider, group):
        self._provider, self._group = provider, group

    def __call__(self, name="com.contoso.report", client=CLIENT, kind="cache", **options):
        return App(self._provider, client, new_cache(self._group, name, kind), **options)
