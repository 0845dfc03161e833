// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita

/// The page of the apps that share sign-in, and of the grants of sandboxed apps.
@MainActor
final class AppsPage {
  let widget: Widget
  private let apps: RowList<TextRow<AppEntry>>
  private let grants: RowList<GrantRow>
  private let problems: RowList<TextRow<GrantProblemEntry>>
  private let noApps = makeLabel("No app declares a group in its .desktop file.").styled("dim-label")
  private let noGrants = makeLabel("No group is granted to an app.").styled("dim-label")

  init(_ actions: Actions) {
    apps = RowList { _ in TextRow() }
    grants = RowList { GrantRow($0, actions) }
    problems = RowList { _ in TextRow() }
    widget = makePage(
      makeBox(
        GTK_ORIENTATION_VERTICAL, spacing: 24,
        [
          Self.section("Apps That Share Sign-in", "What their .desktop files state", [noApps, apps.widget]),
          Self.section(
            "Grants", "Groups that sandboxed apps may use besides their own",
            [noGrants, grants.widget, problems.widget]),
        ]))
    ssc_set_accessible_label(apps.widget.raw, "Apps that share sign-in")
    ssc_set_accessible_label(grants.widget.raw, "Grants")
    ssc_set_accessible_label(problems.widget.raw, "Problems of the files of grants")
  }

  func show(_ state: AccountsState) {
    apps.show(state.apps.map(AppEntry.init))
    grants.show(state.grants.map { GrantRow.Item(grant: $0, isWorking: state.jobs.contains(.grant($0))) })
    problems.show(state.grantProblems.map(GrantProblemEntry.init))
    for (list, none, count) in [
      (apps.widget, noApps, state.apps.count), (grants.widget, noGrants, state.grants.count),
      (problems.widget, nil, state.grantProblems.count),
    ] {
      list.isShown = count > 0
      none?.isShown = count == 0
    }
  }

  private static func section(_ title: String, _ subtitle: String, _ children: [Widget]) -> Widget {
    let texts = [makeLabel(title).styled("heading"), makeLabel(subtitle).styled("dim-label")]
    return makeBox(
      GTK_ORIENTATION_VERTICAL, spacing: 12, [makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, texts)] + children
    )
  }
}
