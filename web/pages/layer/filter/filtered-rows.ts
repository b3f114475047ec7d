import { useEffect, useState } from 'preact/hooks'
import type { MapObject } from '../../../map/objects.ts'
import { type Call, call } from '../../../wire/client.ts'
import { whenReady } from '../../../wire/when-ready.ts'

/** Rows that a filter lets through, for the map. */
export interface Filtered {
  rows: readonly MapObject[]
  /** How many there are in all. */
  total: number
  /** Whether no more of them come. */
  isWhole: boolean
  /** Why the filter cannot be taken. */
  error?: unknown
}

const none: Filtered = { rows: [], total: 0, isWhole: false }
const pageRows = 250
const mostRows = 2000

/** The rows in their first thousands, as they come; undefined where nothing is filtered. */
export function useFiltered(
  id: string,
  filter: string | undefined,
  version: number | undefined,
): Filtered | undefined {
  const [found, setFound] = useState<Filtered>(none)
  useEffect(() => {
    if (filter === undefined) return undefined
    const asking = new AbortController()
    setFound(none)
    readAll(id, { filter, version }, setFound, asking.signal).catch((error: unknown) => {
      if (!asking.signal.aborted) setFound({ ...none, error })
    })
    return () => asking.abort()
  }, [id, filter, version])
  return filter === undefined ? undefined : found
}

async function readAll(
  id: string,
  query: { filter: string; version: number | undefined },
  tell: (found: Filtered) => void,
  signal: AbortSignal,
): Promise<void> {
  const rows: MapObject[] = []
  for (;;) {
    const asked: Call = {
      path: `/ogc/collections/${encodeURIComponent(id)}/items`,
      query: { ...query, limit: pageRows, offset: rows.length },
    }
    const page = await whenReady(
      () => call<{ features: MapObject[]; numberMatched: number }>(asked, signal),
      signal,
    )
    rows.push(...page.features)
    const isWhole = page.features.length < pageRows || rows.length >= mostRows
    tell({ rows: [...rows], total: Math.max(page.numberMatched, rows.length), isWhole })
    if (isWhole) return
  }
}
