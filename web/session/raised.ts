import { call } from '../api/client.ts'
import type { Calls } from '../api/openapi.d.ts'
import { Resource } from '../lib/resource.ts'
import { session } from './session.ts'

type State = Calls['GET /rest/state']['answer']['state']

const refreshMs = 60_000

/** Number of raised alerts; 0 for callers who may not know. */
export const raised = new Resource<number>(async (signal) => {
  if (session.peek() == null) return 0
  // An expired session is reported on the next user action, not by a counter.
  const { state } = await call<{ state: State }>({ path: '/rest/state', isSignIn: true }, signal)
  return state.alerts?.raised ?? 0
})

/** Polls the number until stopped. */
export function watchRaised(): () => void {
  void raised.load()
  const timer = setInterval(() => void (document.hidden || raised.load()), refreshMs)
  return () => {
    clearInterval(timer)
    raised.stop()
  }
}
