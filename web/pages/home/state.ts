import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'

type Answer = Calls['GET /rest/state']['answer']
export type State = Answer['state']

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Server state in numbers. */
export const state = new Resource<State>(
  async (signal) => (await call<Answer>({ path: '/rest/state', query: { zone } }, signal)).state,
)
