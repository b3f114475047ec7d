import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { withNameLock } from '../../core/workers/name-lock.ts'
import type { Ended } from '../../core/workers/news.ts'
import { hearEnds, openNews } from '../../core/workers/news.ts'
import { settled } from '../file-state.ts'
import { announceServerChange } from '../server-changes.ts'
import type { TableState } from '../store.ts'
import {
  fingerprintDatabase,
  fingerprintDatabaseNow,
  fingerprintLogNow,
  noLog,
} from './database-fingerprint.ts'
import { bearTimeOfLog } from './moved-log.ts'
import { seenBeforeRest } from './unfinished-log.ts'

/**
 * Message from a thread or child process that changes a file, or moves a log into it, to the main thread: at
 * the start and at the end.
 */
interface WriteNotice {
  path: string
  work: Work
  /** State of the file before. */
  from: string
  /**
   * State of the file afterwards; absent if other programs may have written meanwhile, or if that could not
   * be determined.
   */
  to?: string
  isOver: boolean
}

/** Running work of Terrane on a file. */
interface Work {
  pid: number
  threadId: number
  number: number
  /** True if a transaction is open, which blocks other writers; otherwise the work is short. */
  isWrite: boolean
}

/** Known states of a file: its current one, and those before changes that Terrane made. */
interface Known {
  latest: string
  before: Set<string>
  /** Matches further possible states from before a process of Terrane died in a transaction. */
  beforeDeath?: (text: string) => boolean
}

/** Work that has not reported its end after this time is considered lost. */
const longestMoveMs = 30_000
const longestWriteMs = 3_600_000
/** Messages of a thread may arrive up to this time after the message about its end. */
const lastWordsMs = 1000
/** Messages of another thread about an earlier change arrive within this time. */
const newsMs = 3
const newsLooks = 3
const attempts = 5

const rememberedFiles = 1000
const rememberedLooks = 1000

const files = new Map<string, Known>()
/** Running work, by file and by worker. */
const works = new Map<string, Map<string, Work & { begunMs: number }>>()
// The main thread reads the states of files, so it must receive messages about writes before its first read.
const tell = openNews<WriteNotice>('own-writes', take)
hearEnds((ended) => setTimeout(() => forgetWorksOf(ended), lastWordsMs).unref())

function take(writeNotice: WriteNotice): void {
  if (writeNotice.isOver) takeEnd(writeNotice)
  else takeBegin(writeNotice)
}

const keyOf = ({ pid, threadId: thread, number }: Work): string => `${pid}.${thread}.${number}`

function takeBegin({ path, work, from }: WriteNotice): void {
  const known = files.get(path)
  // During a transaction of Terrane a log may grow and be moved in part without a visible change.
  if (known !== undefined && isAtWork(path)) known.before.add(from)
  else if (!isKnown(path, from)) know(path, { latest: from, before: new Set() })
  const inFlight = works.get(path) ?? new Map<string, Work & { begunMs: number }>()
  works.set(path, inFlight.set(keyOf(work), { ...work, begunMs: performance.now() }))
}

function takeEnd({ path, work, from, to }: WriteNotice): void {
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
  know(path, { latest: to, before, beforeDeath })
  for (const one of new Set([from, isContinued ? known.latest : from]))
    if (one !== to) announceServerChange({ path, from: one, to })
}

function forgetWorksOf({ pid, threadId: thread }: Ended): void {
  for (const [path, inFlight] of works)
    for (const [key, work] of inFlight)
      if (work.pid === pid && (thread === undefined || work.threadId === thread)) endWork(path, key)
}

function endWork(path: string, key: string): void {
  const inFlight = works.get(path)
  inFlight?.delete(key)
  if (inFlight?.size === 0) works.delete(path)
}

function know(path: string, known: Known): void {
  files.delete(path)
  files.set(path, known)
  for (const first of files.keys()) if (files.size > rememberedFiles) files.delete(first)
}

/** True if all changes since this state of the file were made by Terrane. */
function isKnown(path: string, text: string): boolean {
  const known = files.get(path)
  return known?.latest === text || known?.before.has(text) === true
}

/** True if Terrane is writing to a file. */
function isAtWork(path: string): boolean {
  const now = performance.now()
  for (const [key, { isWrite, begunMs }] of works.get(path) ?? [])
    if (now - begunMs > (isWrite ? longestWriteMs : longestMoveMs)) endWork(path, key)
  return works.has(path)
}

/** Returns a value that changes when another connection has changed the file. */
export function dataVersion(db: DatabaseSync): unknown {
  return db.prepare('PRAGMA main.data_version').get()?.['data_version']
}

let begun = 0

/** Registers the start of work on a file in this state. Returns a function that reports its end. */
function beginWork(path: string, from: string, isWrite: boolean): (to: string | undefined) => void {
  begun += 1
  const work = { pid: process.pid, threadId, number: begun, isWrite }
  tell({ path, work, from, isOver: false })
  return (to) => tell({ path, work, from, isOver: true, to })
}

/** A write in an open transaction. */
export interface ServerWrite {
  /** Runs the action that commits it; if the action throws, the write is not over. */
  commit(action: () => void): void
  /** Ends it with the action that rolls it back; does nothing if it is over. */
  rollBack(action: () => void): void
}

/**
 * Registers a write in the open transaction of the connection `db` on the file at `path`, so that it is not
 * mistaken for a foreign change. If another program may have written between the end of the transaction and
 * reading the state, it counts as a foreign change.
 */
export function beginServerWrite(path: string, db: DatabaseSync): ServerWrite {
  const version = dataVersion(db)
  const end = beginWork(path, fingerprintDatabaseNow(path).text, true)
  let isOver = false
  const finish = (): void => {
    isOver = true
    const to = fingerprintDatabaseNow(path).text
    end(db.isOpen && dataVersion(db) === version ? to : undefined)
  }
  return {
    commit: (action) =>
      withNameLock(path, () => {
        action()
        finish()
      }),
    rollBack: (action) => {
      if (isOver) return
      withNameLock(path, () => {
        try {
          action()
        } finally {
          finish()
        }
      })
    },
  }
}

/** Runs a short write of the connection `db`, or moves a log into the file: see `beginServerWrite`. */
export function serverWrite<Result>(path: string, db: DatabaseSync, write: () => Result): Result {
  return withNameLock(path, () => {
    const version = dataVersion(db)
    const from = fingerprintDatabaseNow(path).text
    const end = beginWork(path, from, false)
    try {
      return write()
    } finally {
      if (db.isOpen && dataVersion(db) === version) bearTimeOfLog(path, from)
      const to = fingerprintDatabaseNow(path).text
      end(db.isOpen && dataVersion(db) === version ? to : undefined)
    }
  })
}

/**
 * Closes a connection by `close`. The last connection that closes moves the log into the file. If the log is
 * missing afterwards, this connection was the last one and no other process was using the file.
 */
export function closeQuietly(path: string, close: () => void): void {
  withNameLock(path, () => {
    if (fingerprintLogNow(path) === noLog) {
      close()
      return
    }
    const from = fingerprintDatabaseNow(path).text
    const end = beginWork(path, from, false)
    try {
      close()
    } finally {
      bearTimeOfLog(path, from)
      end(fingerprintLogNow(path) === noLog ? fingerprintDatabaseNow(path).text : from)
    }
  })
}

type Texts = NonNullable<TableState['sameAs']>

const none: Texts = new Set()

/** Returns the state of a file, and its states before changes that Terrane made. */
export async function databaseState(path: string): Promise<TableState> {
  let text = ''
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = files.get(path)
    // Readers see the previous state: no other program can write during a transaction of Terrane, and a log
    // move changes nothing.
    if (before !== undefined && isAtWork(path)) return { text: before.latest, sameAs: textsOf(before) }
    text = await settled(() => fingerprintDatabase(path))
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
  // The file changes constantly. The next call reports the remaining changes.
  if (!isKnown(path, text)) return { text: known.latest, sameAs: textsOf(known), mayLag: true }
  return { text, sameAs: { has: (one) => one === known.latest || textsOf(known).has(one) } }
}

/** Returns the states of a file before changes that Terrane made. */
function textsOf({ before, beforeDeath }: Known): Texts {
  return beforeDeath === undefined ? before : { has: (text) => before.has(text) || beforeDeath(text) }
}

/**
 * At the first read: finds states in which the file may have been seen before the last process died. They
 * stay known for later changes.
 */
async function findBeforeDeath(path: string, text: string): Promise<Texts> {
  const beforeDeath = await seenBeforeRest(path).catch(() => undefined)
  if (beforeDeath === undefined || files.has(path)) return none
  const known = { latest: text, before: new Set<string>(), beforeDeath }
  know(path, known)
  return textsOf(known)
}

/** States of files without reports from Terrane's threads or processes. */
const seenTexts = new Map<string, string>()

function rememberSeen(path: string, text: string): void {
  seenTexts.set(path, text)
  for (const first of seenTexts.keys()) if (seenTexts.size > rememberedFiles) seenTexts.delete(first)
}
