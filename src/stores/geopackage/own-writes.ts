import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openNews } from '../../lib/workers/news.ts'
import { settled } from '../file-state.ts'
import { tellOwnChange } from '../own-changes.ts'
import type { TableState } from '../store.ts'
import { lookAtDatabase, lookAtDatabaseNow, lookAtLogNow, noLog } from './database-look.ts'

/** What a thread or child process that writes to a file tells the main thread. */
interface Told {
  path: string
  /** How the file looked before. */
  from: string
  /** How it looks now; absent while it is being written to. */
  to?: string
  isOver: boolean
  /** Whether a log is moved into the file: nothing else can be at work in it then. */
  isMove?: boolean
}

/** What is known of a file: how it looks, and how it has looked before changes that were all ours. */
interface Known {
  latest: string
  before: Set<string>
  /** Until when a write of ours keeps others from writing. */
  writesUntil: number
}

/** Logs that are being moved, or are about to be: how many, and until when that is believed. */
const moves = new Map<string, { count: number; until: number }>()
const longestMoveMs = 500
/** What another thread has told comes in that time. */
const newsMs = 3
const newsLooks = 3

/** A thread that ends in the middle of a write does not tell so. */
const longestWriteMs = 30_000
const rememberedFiles = 1000
const rememberedLooks = 1000

const files = new Map<string, Known>()
// Whoever looks at files of others' does so in the main thread: it has to hear of writes that happen before it looks first.
const tell = openNews<Told>('own-writes', take)

function take(told: Told): void {
  if (told.isMove === true) takeMove(told)
  else takeWrite(told)
  const { path, from, to } = told
  if (to !== undefined && to !== from) tellOwnChange({ path, from, to })
}

function takeMove({ path, from, to, isOver }: Told): void {
  const count = (moves.get(path)?.count ?? 0) + (isOver ? -1 : 1)
  if (count <= 0) moves.delete(path)
  else moves.set(path, { count, until: performance.now() + longestMoveMs })
  const known = files.get(path)
  if (to === undefined || known?.latest === to) return
  if (known !== undefined && performance.now() < known.writesUntil) return
  const before = known?.latest === from ? known.before.add(from) : new Set([from])
  files.set(path, { latest: to, before, writesUntil: 0 })
}

function takeWrite({ path, from, to, isOver }: Told): void {
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

/**
 * Closes a connection by `close`. Whoever closes last moves the log into the file: that no log stands there any more shows
 * that it was this one, and that nobody else was at work.
 */
export function closeQuietly(path: string, close: () => void): void {
  if (lookAtLogNow(path) === noLog) {
    close()
    return
  }
  const from = lookAtDatabaseNow(path).text
  tell({ path, from, isOver: false, isMove: true })
  try {
    close()
  } finally {
    const isMoved = lookAtLogNow(path) === noLog
    const to = isMoved ? { to: lookAtDatabaseNow(path).text } : {}
    tell({ path, from, isOver: true, isMove: true, ...to })
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
    if (attempt < newsLooks && isNews(path, text)) {
      await sleep(newsMs)
      continue
    }
    // What was seen in the middle of a write of ours says nothing.
    if (after === before && !isMoving(path)) break
  }
  seenTexts.set(path, text)
  for (const first of seenTexts.keys()) if (seenTexts.size > rememberedFiles) seenTexts.delete(first)
  return { text, sameAs: none }
}

const seenTexts = new Map<string, string>()

/** Whether a file looks otherwise than before: what another thread or process has told of it may be on its way. */
function isNews(path: string, text: string): boolean {
  const before = seenTexts.get(path)
  return before !== undefined && before !== text
}

function isMoving(path: string): boolean {
  const moving = moves.get(path)
  return moving !== undefined && performance.now() < moving.until
}

function isWritten(known: Known | undefined): known is Known {
  return known !== undefined && performance.now() < known.writesUntil
}
