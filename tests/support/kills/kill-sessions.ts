import type { StoreDescription } from '../../../src/stores/description.ts'
import { stores } from '../../../src/stores/registry.ts'
import { killChanges } from './changes.ts'
import { killLoads } from './loads.ts'
import { killServedFiles } from './served-files.ts'
import type { RunKills } from './session.ts'

function killsOf(description: StoreDescription): RunKills {
  const { type, can } = description
  if (!can.takesLoads) return (t, session) => killServedFiles(t, description, session)
  return (t, session) => killLoads(t, type, session)
}

/** What is killed for each type of store in the registry. */
export const killSessions: Record<string, RunKills> = Object.fromEntries(
  stores.map((description) => [description.type, killsOf(description)]),
)

/** Kills of servers that compare, try out and stop loads, for each type of store that takes loads. */
export const changeSessions: Record<string, RunKills> = Object.fromEntries(
  stores
    .filter(({ can }) => can.takesLoads)
    .map(({ type }) => [type, (t, session) => killChanges(t, type, session)]),
)
