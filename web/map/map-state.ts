import { addressOf, fullAddressOf } from '../lib/base.ts'
import type { View } from './map-props.ts'

/** A layer of a map in the address. */
export interface MapLayer {
  /** `workspace:name`. */
  id: string
  isHidden: boolean
  /** 0 to 1. */
  opacity: number
}

/** Properties of a layer that only a saved map has. */
export interface LayerExtras {
  /** Absent: the style of the layer. */
  style?: string
  /** In CQL2 text. */
  filter?: string
  group?: string
}

/** A map in the address: the first layer is at the bottom. */
export interface MapState {
  layers: MapLayer[]
  view?: View
  hasBackground: boolean
  hasLegend: boolean
}

const separator = ','

function listOf(query: URLSearchParams, name: string): string[] {
  const text = query.get(name) ?? ''
  return text === '' ? [] : text.split(separator)
}

export function readMapState(query: URLSearchParams): MapState {
  const hidden = new Set(listOf(query, 'hidden'))
  const opacities = listOf(query, 'opacity')
  const ids = [...new Set(listOf(query, 'layers').filter((one) => one !== ''))]
  const view = readView(query.get('at') ?? '')
  return {
    layers: ids.map((id, index) => ({
      id,
      isHidden: hidden.has(id),
      opacity: readOpacity(opacities[index]),
    })),
    hasBackground: query.get('background') !== 'off',
    hasLegend: query.get('legend') !== 'off',
    view,
  }
}

function readOpacity(text: string | undefined): number {
  const percent = Number(text ?? 100)
  return Number.isFinite(percent) && text !== '' ? Math.min(100, Math.max(0, percent)) / 100 : 1
}

function readView(text: string): View | undefined {
  const [zoom = Number.NaN, latitude = Number.NaN, longitude = Number.NaN] = text.split('/').map(Number)
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 540 && zoom >= 0 && zoom <= 24
  return isPlace ? { zoom, latitude, longitude } : undefined
}

/** Returns the query parameters of a map, without defaults. */
export function writeMapState({ layers, view, hasBackground, hasLegend }: MapState): Record<string, string> {
  const opacities = layers.map(({ opacity }) => Math.round(opacity * 100))
  return {
    layers: layers.map(({ id }) => id).join(separator),
    hidden: layers.flatMap(({ id, isHidden }) => (isHidden ? [id] : [])).join(separator),
    opacity: opacities.every((one) => one === 100) ? '' : opacities.join(separator),
    at: view === undefined ? '' : viewText(view),
    background: hasBackground ? '' : 'off',
    legend: hasLegend ? '' : 'off',
  }
}

function viewText({ zoom, latitude, longitude }: View): string {
  return [zoom.toFixed(2), latitude.toFixed(5), longitude.toFixed(5)].map(Number).join('/')
}

/** A saved map is named: a link to it shows what is saved last. */
function queryText(state: MapState, name?: string): string {
  if (name !== undefined) return new URLSearchParams({ map: name }).toString()
  const given = Object.entries(writeMapState(state)).filter(([, text]) => text !== '')
  return new URLSearchParams(given).toString()
}

/** The address of the map for a link; `name` of a saved one. */
export function linkOf(state: MapState, name?: string): string {
  return `${fullAddressOf('/app/map')}?${queryText(state, name)}`
}

export function pageAddress(state: MapState, name?: string): string {
  return `${addressOf('/app/map')}?${queryText(state, name)}`
}

/** Returns the HTML for embedding the map in another page. */
export function frameCode(
  state: MapState,
  { title, name }: { title: string; name: string | undefined },
): string {
  const address = `${fullAddressOf('/embed/map')}?${queryText(state, name)}`
  return `<iframe src="${escaped(address)}" title="${escaped(title)}" width="800" height="500" style="border: 0" loading="lazy"></iframe>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
