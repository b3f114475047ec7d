import type { Queryable } from '../core/db/connection.ts'
import { listDays, readDay } from './audit-repository.ts'
import { digestEntries, expirySealOf, isSameSeal, sealOf } from './seal.ts'
import type { SealKey } from './seal-keys.ts'
import type { Seal } from './seal-repository.ts'
import { listSeals } from './seal-repository.ts'

/** A defect, which an intact log does not have. */
interface VerificationProblem {
  day: string
  text: string
}

/** Result of a verification. */
export interface Verification {
  isIntact: boolean
  /** Days with a seal, and the entries of those whose entries are kept. */
  days: number
  entries: number
  /** The last day with a seal. */
  lastDay: string | undefined
  problems: VerificationProblem[]
}

const dayMs = 86_400_000

/** Returns the day after. */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
}

/** Checks all seals and the entries that they cover. `today` and the day before may have no seal yet. */
export async function verify(db: Queryable, keys: readonly SealKey[], today: string): Promise<Verification> {
  const seals = await listSeals(db)
  const problems: VerificationProblem[] = []
  const report = (day: string, text: string): void => void problems.push({ day, text })
  let entries = 0
  for (const [index, seal] of seals.entries()) {
    checkChain(seal, seals[index - 1], report)
    entries += await checkDay(db, seal, keys, report)
  }
  const sealed = new Set(seals.map(({ day }) => day))
  const lastDay = seals.at(-1)?.day
  for (const day of await listDays(db)) {
    const isDue = nextDay(day) < today
    if (!sealed.has(day) && (isDue || (lastDay !== undefined && day <= lastDay)))
      report(day, 'The day has entries and no seal: entries were inserted, or the seal was deleted')
  }
  return { isIntact: problems.length === 0, days: seals.length, entries, lastDay, problems }
}

type Report = (day: string, text: string) => void

function checkChain({ day, previous }: Seal, before: Seal | undefined, report: Report): void {
  if (before === undefined) {
    if (previous !== '') report(day, 'The seals before this day are missing')
    return
  }
  if (day !== nextDay(before.day)) report(nextDay(before.day), 'The seal of this day is missing')
  if (previous !== before.seal) report(day, 'The seal does not continue the seal of the day before')
}

/** Returns the number of entries. */
async function checkDay(
  db: Queryable,
  seal: Seal,
  keys: readonly SealKey[],
  report: Report,
): Promise<number> {
  const { day, expiredAt } = seal
  const key = keys.find(({ name }) => name === seal.keyName)
  if (key === undefined) {
    report(day, 'The seal was made with a key that this installation does not have')
    return 0
  }
  if (!isSameSeal(sealOf(seal, key), seal.seal)) report(day, 'The seal was changed')
  const found = await digestEntries(readDay(db, day))
  if (expiredAt !== undefined) {
    if (!isSameSeal(expirySealOf({ ...seal, expiredAt }, key), seal.expirySeal ?? ''))
      report(day, 'The day was marked as expired by another program: its entries are missing')
    if (found.entries > 0) report(day, `${found.entries} entries were inserted after the day had expired`)
    return 0
  }
  if (found.entries !== seal.entries) report(day, countText(seal.entries, found.entries))
  else if (found.digest !== seal.digest) report(day, 'An entry was changed, or replaced by another one')
  return found.entries
}

function countText(sealed: number, found: number): string {
  return found < sealed
    ? `${sealed - found} of ${sealed} entries are missing`
    : `${found - sealed} entries were inserted: ${sealed} were sealed`
}
