import { setImmediate as nextRound } from 'node:timers/promises'
import type { CallContext } from '../../core/workers/handlers.ts'
import { Transfer } from '../../core/workers/handlers.ts'
import type { Tell } from '../../core/workers/serve-work.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { CachedFamilies, TileHits } from './cache-folder.ts'
import { CacheFolder } from './cache-folder.ts'
import type { CachedTile, TileKey } from './cached-tile.ts'
import { listStoredFiles, sweepFolders } from './stored-files.ts'

/** Start data of the thread. */
export interface CacheWorkData {
  root: string
  /** Maximum total size of the files, in bytes. */
  maxBytes: number
}

/** A problem that the thread reports outside of calls. */
export interface CacheProblem {
  what: string
  reason: string
}

/** A tile; null if its family has no file. */
type FoundTile = CachedTile | null | undefined

/** Files used within this time are trimmed instead of deleted, in milliseconds. */
const recentMs = 10 * 60_000
/** Share that remains after trimming, so that trimming is not needed for each tile. */
const leftShare = 0.9
const maxTrims = 40
/** Maximum number of recorded uses per transaction, since requests wait for it. */
const usesAtOnce = 200

type Versions = CallContext<never, { layers: true }, [id: number, version: number][]>

function handlersOf({ root, maxBytes }: CacheWorkData, tell: Tell) {
  const onProblem = (what: string, error: unknown): void => tell({ what, reason: String(error) })
  const folder = new CacheFolder({ root, onProblem })
  let sinceShrink = 0
  let shrinking: Promise<void> | undefined

  async function shrink(): Promise<void> {
    for (let round = 0; round < maxTrims; round += 1) {
      const files = await listStoredFiles(root)
      const sum = files.reduce((all, { sizeBytes }) => all + sizeBytes, 0)
      if (sum <= (round === 0 ? maxBytes : maxBytes * leftShare)) return
      let over = sum - maxBytes * leftShare
      for (const { path, sizeBytes, usedMs } of files) {
        if (over <= 0) break
        const isRecent = maxBytes > 0 && Date.now() - usedMs < recentMs
        if (isRecent && round < maxTrims - 1) folder.trim(path)
        else folder.remove(path)
        over -= isRecent ? sizeBytes / 4 : sizeBytes
        await nextRound()
      }
    }
  }

  return {
    find: ({ keys }: { keys: TileKey[] }): Transfer<FoundTile[]> => {
      const tiles = folder.find(keys)
      const found = tiles.map(
        (tile, at) => tile ?? (folder.lacksFile(keys[at] as TileKey) ? null : undefined),
      )
      return new Transfer(
        found,
        tiles.flatMap((one) => (one === undefined ? [] : [one.bytes.buffer as ArrayBuffer])),
      )
    },
    keep: ({ families }: { families: CachedFamilies[] }): void => {
      sinceShrink += folder.keep(families)
      if (sinceShrink < Math.min(16 << 20, maxBytes / 20) || shrinking !== undefined) return
      sinceShrink = 0
      shrinking = shrink()
        .catch((error: unknown) => onProblem('no room was made for tiles', error))
        .finally(() => {
          shrinking = undefined
        })
    },
    use: async ({ tiles, atSeconds }: { tiles: TileHits[]; atSeconds: number }): Promise<void> => {
      for (let at = 0; at < tiles.length; at += usesAtOnce) {
        folder.use(tiles.slice(at, at + usesAtOnce), atSeconds)
        await nextRound()
      }
    },
    retire: ({ layerId, version, limit }: { layerId: number; version: number; limit: number }): TileHits[] =>
      folder.retire(layerId, version, limit),
    sweep: async (_: undefined, { ask }: Versions): Promise<void> => {
      await sweepFolders(root, async () => new Map(await ask({ layers: true })))
      await shrink()
    },
    close: (): void => folder.close(),
  }
}

export type CacheHandlers = ReturnType<typeof handlersOf>

serveWork<CacheHandlers, CacheWorkData>(handlersOf)
