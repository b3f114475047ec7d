import type { StoreDescription } from '../../../src/stores/description.ts'
import { stores } from '../../../src/stores/registry.ts'
import { killChanges } from './changes.ts'
import { killCoverages } from './coverages.ts'
import { killLoads } from './loads.ts'
import { killServedFiles } from './served-files.ts'
import type { KillSession, RunKills } from './session.ts'
import { killTwoNodes } from './two-nodes.ts'
import { killVersions } from './versions.ts'

function killsOf(description: StoreDescription): RunKills {
  const { type, can } = description
  if (!can.takesLoads) return (t, session) => killServedFiles(t, description, session)
  return (t, session) => killLoads(t, type, session)
}

/** Kill test of each type of store in the registry. */
export const killSessions: Record<string, RunKills> = Object.fromEntries(
  stores.map((description) => [description.type, killsOf(description)]),
)

/** Kills of servers that compare, try out and stop loads, for each type of store that takes loads. */
export const changeSessions: Record<string, RunKills> = Object.fromEntries(
  stores
    .filter(({ can }) => can.takesLoads)
    .map(({ type }) => [type, (t, session) => killChanges(t, type, session)]),
)

/** Kills of one of two servers of a catalogue, with the shipped settings. */
export const clusterSessions: Record<string, RunKills> = { PostGIS: (t, session) => killTwoNodes(t, session) }

/** Half of all sessions have the catalogue in PostgreSQL, half of either a view that depends on the layer's table. */
function versionSession(type: string): RunKills {
  return (t, session: KillSession) => {
    const hasView = session.seed % 2 === 1
    const catalogue = session.seed % 4 > 1 ? 'PostgreSQL' : 'SQLite'
    return killVersions(t, { type, hasView, catalogue }, session)
  }
}

/**
 * Kills at named steps of operations that create, restore and remove versions, for each type of store that
 * accepts loads.
 */
export const versionSessions: Record<string, RunKills> = Object.fromEntries(
  stores.filter(({ can }) => can.takesLoads).map(({ type }) => [type, versionSession(type)]),
)

/** Kills of servers that delete and restore rasters and mosaics: half of the sessions each, by the store of the granules. */
export const coverageSessions: Record<string, RunKills> = Object.fromEntries(
  stores
    .filter(({ can }) => can.takesLoads)
    .map(({ type }) => [
      type,
      (t, session) => {
        const kind = session.seed % 2 === 1 ? 'raster' : 'mosaic'
        return killCoverages(t, { kind, catalogue: type === 'PostGIS' ? 'PostgreSQL' : 'SQLite' }, session)
      },
    ]),
)
