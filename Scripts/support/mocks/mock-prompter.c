/* SPDX-License-Identifier: MIT
 *
 * Stands in for the person at gnome-keyring's dialogs, by the mock that the gcr
 * library has for tests.
 *
 *     mock-prompter NAME-FILE <COMMANDS
 *
 * Writes its name on the session bus into NAME-FILE. Each line of the input says
 * what the person does at the next dialog that asks for a password:
 *
 *     password TEXT    types it
 *     cancel           closes the dialog
 *     wait SECONDS     from now on, thinks that long before doing anything
 *
 * and two lines that a test waits for, by the file that is made:
 *
 *     read FILE        all lines before this one have been read
 *     shown FILE       a dialog has asked for the password that was said last, for which is waited
 *
 * Build: cc -DGCR_API_SUBJECT_TO_CHANGE mock-prompter.c $(pkg-config --cflags --libs gcr-base-3)
 */
#include <gcr/gcr-base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const char *name = gcr_mock_prompter_start();
  gcr_mock_prompter_set_delay_msec(1);
  if (!g_file_set_contents(argv[1], name, -1, NULL)) return 1;

  char line[1024];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (g_str_has_prefix(line, "password ")) {
      gcr_mock_prompter_expect_password_ok(g_strdup(line + strlen("password ")), NULL);
    } else if (strcmp(line, "cancel") == 0) {
      gcr_mock_prompter_expect_password_cancel();
    } else if (g_str_has_prefix(line, "wait ")) {
      gcr_mock_prompter_set_delay_msec(1000 * (guint) atoi(line + strlen("wait ")));
    } else if (g_str_has_prefix(line, "read ")) {
      if (!g_file_set_contents(line + strlen("read "), "", -1, NULL)) return 1;
    } else if (g_str_has_prefix(line, "shown ")) {
      gint64 end = g_get_monotonic_time() + 15 * G_USEC_PER_SEC;
      while (gcr_mock_prompter_is_expecting() && g_get_monotonic_time() < end) g_usleep(5000);
      if (!gcr_mock_prompter_is_expecting() && !g_file_set_contents(line + strlen("shown "), "", -1, NULL)) return 1;
    }
  }
  gcr_mock_prompter_disconnect();
  return 0;
}
