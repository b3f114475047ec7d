import { type Signal, signal } from '@preact/signals'
import { query, setQuery } from '../../lib/router.ts'
import type { MapObject } from '../../map/objects.ts'

/** A row of the table, and an object of the map. */
export interface Row extends MapObject {
  properties: Record<string, unknown>
  /** The table shows rows without geometry; true once it was loaded. */
  isWhole?: true
}

/** Shared state of a layer's map and table. */
export interface LayerView {
  /** Chosen on the map or in the table. */
  chosen: Signal<Row | undefined>
  /** Visible extent of the map. */
  inSight: Signal<readonly number[] | undefined>
}

export function layerView(): LayerView {
  return { chosen: signal(undefined), inSight: signal(undefined) }
}

/** Returns the viewed version; undefined: the current one. */
export function lookedAt(): number | undefined {
  const version = Number(query.value.get('version'))
  return Number.isInteger(version) && version > 0 ? version : undefined
}

/** Returns the box in the address, which rows must intersect. */
export function requestedBox(): number[] | undefined {
  const numbers = (query.value.get('bbox') ?? '').split(',').map(Number)
  return numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : undefined
}

const digits = 5

/** Sets the box in the address, limited to valid longitudes and latitudes. */
export function setBox(edges: readonly number[] | undefined): void {
  if (edges === undefined) {
    setQuery({ bbox: undefined })
    return
  }
  const [west = -180, south = -90, east = 180, north = 90] = edges
  const isWhole = east - west >= 360
  const turned = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180
  const box = isWhole ? [-180, south, 180, north] : [turned(west), south, turned(east), north]
  setQuery({ bbox: box.map((one) => one.toFixed(digits)).join(',') })
}
