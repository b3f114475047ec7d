import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { defined } from '../../lib/defined.ts'
import type { Ended } from '../../lib/workers/news.ts'
import { hearEnds, openNews } from '../../lib/workers/news.ts'
import { inTurn } from '../../lib/workers/turns.ts'
import { settled } from '../file-state.ts'
import { tellOwnChange } from '../own-changes.ts'
import type { TableState } from '../store.ts'
import { lookAtDatabase, lookAtDatabaseNow, lookAtLogNow, noLog } from './database-look.ts'
import { bearTimeOfLog } from './moved-log.ts'
import { seenBeforeRest } from './unfinished-log.ts'

/** What a thread or child process that changes a file, or moves a log into it, tells the main thread: when it begins, and at the end. */
interface Told {
  path: string
  work: Work
  /** How the file looked before. */
  from: string
  /** How it looks when it is over; absent where others may have written meanwhile, and where that was not to be seen. */
  to?: string
  isOver: boolean
}

/** Work of ours in a file. */
interface Work {
  pid: number
  threadId: number
  number: number
  /** Whether a transaction is open in it, which keeps others from writing; else it is short. */
  isWrite: boolean
}

/** What is known of a file: how it looks, and how it has looked before changes that were all ours. */
interface Known {
  latest: string
  before: Set<string>
  /** What else it may have been seen as before a process of ours died in a transaction. */
  beforeDeath?: (text: string) => boolean
}

/** What is not over after so long never tells so: it was lost. */
const longestMoveMs = 30_000
const longestWriteMs = 3_600_000
/** What a thread has told before it ended may come after the news of its end. */
const lastWordsMs = 1000
/** What another thread has told before a change that was seen comes in that time. */
const newsMs = 3
const newsLooks = 3
const looks = 5

const rememberedFiles = 1000
const rememberedLooks = 1000

const files = new Map<string, Known>()
/** Work that is under way, by file and by who does it. */
const works = new Map<string, Map<string, Work & { begunMs: number }>>()
// Whoever looks at files of others' does so in the main thread: it has to hear of writes that happen before it looks first.
const tell = openNews<Told>('own-writes', take)
hearEnds((ended) => setTimeout(() => forgetWorksOf(ended), lastWordsMs).unref())

function take(told: Told): void {
  if (told.isOver) takeEnd(told)
  else takeBegin(told)
}

const keyOf = ({ pid, threadId: thread, number }: Work): string => `${pid}.${thread}.${number}`

function takeBegin({ path, work, from }: Told): void {
  const known = files.get(path)
  // In a transaction of ours a log may grow and be moved in part, and nothing of that is a change yet.
  if (known !== undefined && isAtWork(path)) known.before.add(from)
  else if (!isKnown(path, from)) know(path, { latest: from, before: new Set() })
  const underWay = works.get(path) ?? new Map<string, Work & { begunMs: number }>()
  works.set(path, underWay.set(keyOf(work), { ...work, begunMs: performance.now() }))
}

function takeEnd({ path, work, from, to }: Told): void {
  endWork(path, keyOf(work))
  if (to === from) return
  if (to === undefined) {
    files.delete(path)
    return
  }
  const known = files.get(path)
  const isContinued = known !== undefined && (isAtWork(path) || isKnown(path, from))
  const before = isContinued ? known.before.add(from).add(known.latest) : new Set([from])
  before.delete(to)
  for (const first of before) if (before.size > rememberedLooks) before.delete(first)
  const { beforeDeath } = isContinued ? known : {}
  know(path, { latest: to, before, ...defined({ beforeDeath }) })
  for (const one of new Set([from, isContinued ? known.latest : from]))
    if (one !== to) tellOwnChange({ path, from: one, to })
}

function forgetWorksOf({ pid, threadId: thread }: Ended): void {
  for (const [path, underWay] of works)
    for (const [key, work] of underWay)
      if (work.pid === pid && (thread === undefined || work.threadId === thread)) endWork(path, key)
}

function endWork(path: string, key: string): void {
  const underWay = works.get(path)
  underWay?.delete(key)
  if (underWay?.size === 0) works.delete(path)
}

function know(path: string, known: Known): void {
  files.delete(path)
  files.set(path, known)
  for (const first of files.keys()) if (files.size > rememberedFiles) files.delete(first)
}

/** Whether a file has looked so since all changes were ours. */
function isKnown(path: string, text: string): boolean {
  const known = files.get(path)
  return known?.latest === text || known?.before.has(text) === true
}

/** Whether one of ours is at work in a file. */
function isAtWork(path: string): boolean {
  const now = performance.now()
  for (const [key, { isWrite, begunMs }] of works.get(path) ?? [])
    if (now - begunMs > (isWrite ? longestWriteMs : longestMoveMs)) endWork(path, key)
  return works.has(path)
}

/** Another value than before means that another connection has changed the file since. */
export function dataVersion(db: DatabaseSync): unknown {
  return db.prepare('PRAGMA main.data_version').get()?.['data_version']
}

let begun = 0

/** Begins work at a file that looks so; gives what tells of its end. */
function beginWork(path: string, from: string, isWrite: boolean): (to: string | undefined) => void {
  begun += 1
  const work = { pid: process.pid, threadId, number: begun, isWrite }
  tell({ path, work, from, isOver: false })
  return (to) => tell({ path, work, from, isOver: true, ...(to === undefined ? {} : { to }) })
}

/** A write of ours in a transaction that is open. */
export interface OwnWrite {
  /** Does what commits it; where that throws it is not over. */
  commit(action: () => void): void
  /** Ends it by what rolls it back; does nothing where it is over. */
  rollBack(action: () => void): void
}

/**
 * Begins a write of ours in the transaction that the connection `db` has open in the file at `path`, so that it is not taken
 * for one of somebody else's. Where others may have written between its end and the look after it, it is.
 */
export function beginOwnWrite(path: string, db: DatabaseSync): OwnWrite {
  const version = dataVersion(db)
  const end = beginWork(path, lookAtDatabaseNow(path).text, true)
  let isOver = false
  const finish = (): void => {
    isOver = true
    const to = lookAtDatabaseNow(path).text
    end(db.isOpen && dataVersion(db) === version ? to : undefined)
  }
  return {
    commit: (action) =>
      inTurn(path, () => {
        action()
        finish()
      }),
    rollBack: (action) => {
      if (isOver) return
      inTurn(path, () => {
        try {
          action()
        } finally {
          finish()
        }
      })
    },
  }
}

/** Does what is short and changes the file by the connection `db`, or moves a log into it: see `beginOwnWrite`. */
export function ownWrite<Result>(path: string, db: DatabaseSync, write: () => Result): Result {
  return inTurn(path, () => {
    const version = dataVersion(db)
    const from = lookAtDatabaseNow(path).text
    const end = beginWork(path, from, false)
    try {
      return write()
    } finally {
      if (db.isOpen && dataVersion(db) === version) bearTimeOfLog(path, from)
      const to = lookAtDatabaseNow(path).text
      end(db.isOpen && dataVersion(db) === version ? to : undefined)
    }
  })
}

/**
 * Closes a connection by `close`. Whoever closes last moves the log into the file: that no log stands there any more shows
 * that it was this one, and that nobody else was at work.
 */
export function closeQuietly(path: string, close: () => void): void {
  inTurn(path, () => {
    if (lookAtLogNow(path) === noLog) {
      close()
      return
    }
    const from = lookAtDatabaseNow(path).text
    const end = beginWork(path, from, false)
    try {
      close()
    } finally {
      bearTimeOfLog(path, from)
      end(lookAtLogNow(path) === noLog ? lookAtDatabaseNow(path).text : from)
    }
  })
}

type Texts = NonNullable<TableState['sameAs']>

const none: Texts = new Set()

/** How a file looks, and how it has looked before changes that were all ours. */
export async function databaseState(path: string): Promise<TableState> {
  let text = ''
  for (let attempt = 0; attempt < looks; attempt += 1) {
    const before = files.get(path)
    // What readers see is what was there before: nobody else can write in a transaction of ours, and a move changes nothing.
    if (before !== undefined && isAtWork(path)) return { text: before.latest, sameAs: textsOf(before) }
    text = await settled(() => lookAtDatabase(path))
    const after = files.get(path)
    if (after?.latest === text) return { text, sameAs: textsOf(after) }
    const mayBeNews = attempt < newsLooks && seenTexts.get(path) !== text
    if (after === before && !isAtWork(path) && !isKnown(path, text) && !mayBeNews) {
      const isFirst = !seenTexts.has(path) && after === undefined
      rememberSeen(path, text)
      return { text, sameAs: isFirst ? await findBeforeDeath(path, text) : none }
    }
    await sleep(newsMs)
  }
  const known = files.get(path)
  if (known === undefined) return { text, sameAs: none }
  // It changes all the time: the next look tells of what is not known yet.
  if (!isKnown(path, text)) return { text: known.latest, sameAs: textsOf(known), mayLag: true }
  return { text, sameAs: { has: (one) => one === known.latest || textsOf(known).has(one) } }
}

/** How a file looked before changes that were all ours. */
function textsOf({ before, beforeDeath }: Known): Texts {
  return beforeDeath === undefined ? before : { has: (text) => before.has(text) || beforeDeath(text) }
}

/** At the first look: how a file may have been seen before the last process died. It stays known for what we change from now on. */
async function findBeforeDeath(path: string, text: string): Promise<Texts> {
  const beforeDeath = await seenBeforeRest(path).catch(() => undefined)
  if (beforeDeath === undefined || files.has(path)) return none
  const known = { latest: text, before: new Set<string>(), beforeDeath }
  know(path, known)
  return textsOf(known)
}

/** How files looked of which nobody of ours has told. */
const seenTexts = new Map<string, string>()

function rememberSeen(path: string, text: string): void {
  seenTexts.set(path, text)
  for (const first of seenTexts.keys()) if (seenTexts.size > rememberedFiles) seenTexts.delete(first)
}
