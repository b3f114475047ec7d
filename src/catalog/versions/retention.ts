import type { StoreRecord } from '../records.ts'
import type { ContentRecord } from './contents.ts'
import { neededFor } from './restore-plan.ts'

/** Limits on retained versions of layers. */
export interface VersionLimits {
  /** Retention in days; 0: nothing is retained. */
  days: number
  /** For the layers of each store. */
  bytes: number
}

const dayMs = 86_400_000

/**
 * Returns the reason why earlier versions of the layers of a store are not retained; undefined if they are.
 */
export function whyNothingIsKept(
  { days }: VersionLimits,
  { name, keepsVersions }: Pick<StoreRecord, 'name' | 'keepsVersions'>,
): string | undefined {
  if (days === 0) return 'This server keeps no versions'
  return keepsVersions ? undefined : `The store "${name}" keeps no versions`
}

/** Returns the time until which contents replaced at `endedAt` are retained. */
export function keptUntil(endedAt: string, { days }: VersionLimits): string {
  return new Date(Date.parse(endedAt) + days * dayMs).toISOString()
}

/** Contents to remove, and the reason. */
export interface Outdated {
  content: ContentRecord
  reason: string
}

/**
 * Chooses which retained contents of a store, or of all deleted ones, to remove, in this order: those that
 * are too old, then as many as exceed the size limit, the oldest first and the last one of each table after
 * all others. Pinned contents remain, with the contents that they are differences to.
 */
export function chooseOutdated(
  contents: readonly ContentRecord[],
  { pinned, now, limits }: { pinned: ReadonlySet<number>; now: Date; limits: VersionLimits },
): Outdated[] {
  const known = new Map(contents.map((content) => [content.id, content]))
  const stays = neededFor(
    contents.filter(({ id }) => pinned.has(id)),
    known,
  )
  const kept = contents.filter(({ form }) => form === 'kept')
  const order = inOrder(kept.filter(({ id }) => !stays.has(id)))
  let sizeBytes = kept.reduce((sum, content) => sum + (content.sizeBytes ?? 0), 0)
  const gone: Outdated[] = []
  for (const content of order) {
    const isOld = keptUntil(content.endedAt ?? '', limits) <= now.toISOString()
    if (!isOld && sizeBytes <= limits.bytes) continue
    sizeBytes -= content.sizeBytes ?? 0
    const reason = isOld
      ? `It was kept for ${limits.days} days`
      : `The versions of its store took more than ${limits.bytes} bytes`
    gone.push({ content, reason })
  }
  return gone
}

/**
 * Oldest first. Contents end before those that depend on them, so that none is removed before its dependents.
 */
function inOrder(contents: readonly ContentRecord[]): ContentRecord[] {
  const byEnd = contents.toSorted((one, other) => endOf(one).localeCompare(endOf(other)) || one.id - other.id)
  const keyOf = ({ storeId, table }: ContentRecord): string => `${storeId} ${table}`
  const last = new Map(byEnd.map((content) => [keyOf(content), content.id]))
  const isLast = (content: ContentRecord): boolean => last.get(keyOf(content)) === content.id
  return [...byEnd.filter((one) => !isLast(one)), ...byEnd.filter(isLast)]
}

function endOf({ endedAt = '' }: ContentRecord): string {
  return endedAt
}
