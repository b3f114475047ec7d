import type { DatabaseSync } from 'node:sqlite'
import { openNews } from '../../lib/workers/news.ts'
import { settled } from '../file-state.ts'
import type { TableState } from '../store.ts'
import { lookAtDatabase } from './database-look.ts'

/** What a thread or child process that writes to a file tells the main thread. */
interface Told {
  path: string
  /** How the file looked before. */
  from: string
  /** How it looks now; absent while it is being written to. */
  to?: string
  isOver: boolean
}

/** What is known of a file: how it looks, and how it has looked before changes that were all ours. */
interface Known {
  latest: string
  before: Set<string>
  /** Until when a write of ours keeps others from writing. */
  writesUntil: number
}

/** A thread that ends in the middle of a write does not tell so. */
const longestWriteMs = 30_000
const rememberedFiles = 1000
const rememberedLooks = 1000

const files = new Map<string, Known>()
// Whoever looks at files of others' does so in the main thread: it has to hear of writes that happen before it looks first.
const tell = openNews<Told>('own-writes', take)

function take({ path, from, to, isOver }: Told): void {
  const known = files.get(path)
  const isNext = known?.latest === from
  const before = isNext ? known.before : new Set<string>()
  files.delete(path)
  if (!isOver) {
    files.set(path, { latest: from, before, writesUntil: performance.now() + longestWriteMs })
  } else if (to !== undefined) {
    before.add(from)
    for (const first of before) if (before.size > rememberedLooks) before.delete(first)
    files.set(path, { latest: to, before, writesUntil: 0 })
  }
  for (const first of files.keys()) if (files.size > rememberedFiles) files.delete(first)
}

/** Another value than before means that another connection has changed the file since. */
export function dataVersion(db: DatabaseSync): unknown {
  return db.prepare('PRAGMA main.data_version').get()?.['data_version']
}

/**
 * Begins a write of ours to the file at `path` by its open connection `db`, so that it is not taken for one of somebody
 * else's; gives what is to be called when it is over, in any case. Where others may have written meanwhile, it is.
 */
export async function beginOwnWrite(path: string, db: DatabaseSync): Promise<() => Promise<void>> {
  const version = dataVersion(db)
  const from = (await lookAtDatabase(path)).text
  tell({ path, from, isOver: false })
  return async () => {
    const to = (await lookAtDatabase(path)).text
    const isAlone = db.isOpen && dataVersion(db) === version
    tell({ path, from, isOver: true, ...(isAlone ? { to } : {}) })
  }
}

/** Does a write of ours: see `beginOwnWrite`. */
export async function ownWrite<Result>(
  path: string,
  db: DatabaseSync,
  write: () => Result | Promise<Result>,
): Promise<Result> {
  const endWrite = await beginOwnWrite(path, db)
  try {
    return await write()
  } finally {
    await endWrite()
  }
}

const none: ReadonlySet<string> = new Set()

const looks = 5

/** How a file looks, and how it has looked before changes that were all ours. */
export async function databaseState(path: string): Promise<TableState> {
  let text = ''
  for (let attempt = 0; attempt < looks; attempt += 1) {
    const before = files.get(path)
    // Nobody else can write meanwhile, and readers see what was there before.
    if (isWritten(before)) return { text: before.latest, sameAs: before.before }
    text = await settled(() => lookAtDatabase(path))
    const after = files.get(path)
    if (after?.latest === text) return { text, sameAs: after.before }
    // What was seen in the middle of a write of ours says nothing.
    if (after === before) break
  }
  return { text, sameAs: none }
}

function isWritten(known: Known | undefined): known is Known {
  return known !== undefined && performance.now() < known.writesUntil
}
