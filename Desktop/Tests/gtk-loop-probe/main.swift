// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import Glibc

// Reports, as JSON, what a loop of GLib did with Swift's main actor in it: Tests/Desktop/test_main_actor.py reads it.

/// How often the loop asked the kernel what there is to do.
nonisolated(unsafe) private var wakeUps = 0

private let mainThread = pthread_self()

@concurrent
private func isOnMainThreadElsewhere() async -> Bool { pthread_self() == mainThread }

@MainActor
private func isOnMainThread() -> Bool { pthread_self() == mainThread }

@MainActor
private func report() async -> String {
  let elsewhere = await !isOnMainThreadElsewhere()
  let main = isOnMainThread()
  // A thousand tasks change threads at once: none is lost.
  let hops = await withTaskGroup(of: Bool.self) { group in
    for _ in 0..<1_000 {
      group.addTask {
        _ = await isOnMainThreadElsewhere()
        return await isOnMainThread()
      }
    }
    var count = 0
    for await isBack in group where isBack { count += 1 }
    return count
  }
  let before = wakeUps
  let start = ContinuousClock.now
  try? await Task.sleep(for: .milliseconds(500))
  let slept = ContinuousClock.now - start >= .milliseconds(500)
  let wakeUpsAsleep = wakeUps - before
  let (emissions, texts) = await emissionsAndTexts()
  return """
    {"main": \(main), "elsewhere": \(elsewhere), "hops": \(hops), "slept": \(slept), \
    "wakeUpsAsleep": \(wakeUpsAsleep), "emissions": \(emissions), "texts": \(texts)}
    """
}

/// What handlers of signals took part in: those without an argument, and those with a text.
@MainActor
private func emissionsAndTexts() async -> (Int, [String]) {
  var emissions = 0
  var texts: [String] = []
  let group: UnsafeMutablePointer<GSimpleActionGroup> = g_simple_action_group_new()
  let action: OpaquePointer = g_simple_action_new("reload", nil)
  connect(signal: "notify::enabled", of: action) { Task { emissions += 1 } }
  connect(textSignal: "action-added", of: UnsafeMutableRawPointer(group)) { texts.append($0) }
  g_action_map_add_action(OpaquePointer(group), action)
  for isEnabled: gboolean in [0, 1, 0] { g_simple_action_set_enabled(action, isEnabled) }
  while emissions < 3 { await Task.yield() }
  g_object_unref(UnsafeMutableRawPointer(group))
  g_object_unref(UnsafeMutableRawPointer(action))
  return (emissions, texts)
}

g_main_context_set_poll_func(nil) { descriptors, count, timeout in
  wakeUps += 1
  return UnsafeMutableRawPointer(descriptors).map {
    poll($0.assumingMemoryBound(to: pollfd.self), nfds_t(count), timeout)
  } ?? 0
}
GTKMainActor.start()
let loop = g_main_loop_new(nil, 0)
Task {
  print(await report())
  g_main_loop_quit(loop)
}
g_main_loop_run(loop)
