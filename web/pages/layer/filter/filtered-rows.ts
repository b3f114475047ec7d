import { useEffect, useState } from 'preact/hooks'
import { type Call, call } from '../../../api/client.ts'
import { whenReady } from '../../../api/when-ready.ts'
import type { MapObject } from '../../../map/objects.ts'

/** Filter result for the map. */
export interface Filtered {
  /**
   * Rows of an earlier version, whose tiles do not support filters; for the current version none until it is
   * known.
   */
  rows?: readonly MapObject[]
  /** Total number of rows. */
  total: number
  /** True if no further rows will arrive. */
  isWhole: boolean
  /** Why the filter cannot be taken. */
  error?: unknown
}

const none: Filtered = { rows: [], total: 0, isWhole: false }
const pageRows = 250
const maxRows = 2000

/** Loads the number of rows, and for an earlier version the first thousands; undefined without a filter. */
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
    const found =
      version === undefined
        ? count(id, filter, asking.signal).then((total) => setFound({ total, isWhole: true }))
        : readAll(id, { filter, version }, setFound, asking.signal)
    found.catch((error: unknown) => {
      if (!asking.signal.aborted) setFound({ ...none, error })
    })
    return () => asking.abort()
  }, [id, filter, version])
  return filter === undefined ? undefined : found
}

/** Tiles show them all. */
async function count(id: string, filter: string, signal: AbortSignal): Promise<number> {
  const path = `/ogc/collections/${encodeURIComponent(id)}/items`
  const requested: Call = { path, query: { filter, limit: 1 } }
  return (await whenReady(() => call<{ numberMatched: number }>(requested, signal), signal)).numberMatched
}

async function readAll(
  id: string,
  query: { filter: string; version: number },
  tell: (found: Filtered) => void,
  signal: AbortSignal,
): Promise<void> {
  const rows: MapObject[] = []
  for (;;) {
    const requested: Call = {
      path: `/ogc/collections/${encodeURIComponent(id)}/items`,
      query: { ...query, limit: pageRows, offset: rows.length },
    }
    const page = await whenReady(
      () => call<{ features: MapObject[]; numberMatched: number }>(requested, signal),
      signal,
    )
    rows.push(...page.features)
    const isWhole = page.features.length < pageRows || rows.length >= maxRows
    tell({ rows: [...rows], total: Math.max(page.numberMatched, rows.length), isWhole })
    if (isWhole) return
  }
}
