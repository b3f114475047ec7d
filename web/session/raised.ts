import { Resource } from '../lib/resource.ts'
import { call } from '../wire/client.ts'
import type { Calls } from '../wire/openapi.d.ts'
import { session } from './session.ts'

type State = Calls['GET /rest/state']['answer']['state']

const refreshMs = 60_000

/** How many alerts are raised; 0 for who may not know. */
export const raised = new Resource<number>(async (signal) => {
  if (session.peek() == null) return 0
  // Who is not known any more is asked to sign in by what they do, not by a number.
  const { state } = await call<{ state: State }>({ path: '/rest/state', isSignIn: true }, signal)
  return state.alerts?.raised ?? 0
})

/** Keeps the number as it is on the server, until it is told to stop. */
export function watchRaised(): () => void {
  void raised.load()
  const timer = setInterval(() => void (document.hidden || raised.load()), refreshMs)
  return () => {
    clearInterval(timer)
    raised.stop()
  }
}
