import { Resource } from '../../lib/resource.ts'
import { call } from '../../wire/client.ts'
import type { Calls } from '../../wire/openapi.d.ts'

type Answer = Calls['GET /rest/state']['answer']
export type State = Answer['state']

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Server state in numbers. */
export const state = new Resource<State>(
  async (signal) => (await call<Answer>({ path: '/rest/state', query: { zone } }, signal)).state,
)
