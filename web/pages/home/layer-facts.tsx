import { useState } from 'preact/hooks'
import { shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Spark } from '../../components/spark.tsx'
import { addressOf, pathBelowBase } from '../../lib/base.ts'
import { hasPage } from '../../lib/known-pages.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import type { Layer } from './layer-list.ts'

/** The page of a layer, or its collection as long as there is no page. */
export function layerAddress({ workspace, name }: Layer): string {
  const id = encodeURIComponent(`${workspace}:${name}`)
  return addressOf(hasPage('/app/layers/:layer') ? `/app/layers/${id}` : `/ogc/collections/${id}`)
}

type Form = 'Point' | 'Line' | 'Polygon' | 'Feature'

function formOf(geometryType = ''): Form {
  if (/Point$/.test(geometryType)) return 'Point'
  if (/(?:String|Curve)$/.test(geometryType)) return 'Line'
  return /(?:Polygon|Surface)$/.test(geometryType) ? 'Polygon' : 'Feature'
}

const formIcons = { Point: 'point', Line: 'line', Polygon: 'poly', Feature: 'layers' } as const

/** Type and size of a layer's content. */
export function Content({ layer }: { layer: Layer }) {
  const { kind, rows, geometryType } = layer
  const texts = homeTexts.value
  const form = formOf(geometryType)
  const icon = kind === 'vector' ? formIcons[form] : kind === 'raster' ? 'grid' : 'table'
  const noun = kind === 'vector' ? form : kind === 'raster' ? 'Granule' : 'Row'
  const unknown = kind === 'raster' ? texts.rasterContent : texts.rowsUnknown
  return (
    <span class="row">
      <Icon name={icon} />
      <span>{rows === undefined ? unknown : texts.features[noun](rows)}</span>
    </span>
  )
}

/** Thumbnail of the layer in its own style, or why there is no map. */
export function Thumbnail({ layer, isSmall = false }: { layer: Layer; isSmall?: boolean }) {
  const texts = homeTexts.value
  const { thumbnail, kind, title } = layer
  /** Layer object whose thumbnail failed to load; a new object is tried again. */
  const [failed, setFailed] = useState<Layer>()
  if (thumbnail !== undefined && failed !== layer) {
    const size = isSmall ? 'width=144&height=80' : 'width=640&height=328'
    const { search } = new URL(thumbnail)
    const src = `${addressOf(pathBelowBase(thumbnail))}${search}&${size}`
    return (
      <img
        src={src}
        alt={isSmall ? '' : `${texts.column.map}: ${title}`}
        loading="lazy"
        decoding="async"
        onError={() => setFailed(layer)}
      />
    )
  }
  const icon = kind === 'table' ? 'table' : 'map'
  if (isSmall) return <Icon name={icon} />
  return (
    <div class="nogeo">
      <Icon name={icon} />
      {kind === 'table' ? texts.noGeometry : failed === layer ? texts.noPicture : texts.noMap}
    </div>
  )
}

/** Requests of each of the last thirty days. */
export function Course({ requests }: { requests: NonNullable<Layer['requests']> }) {
  const { days } = requests
  const label = homeTexts.value.course(shownNumber(Math.min(...days)), shownNumber(Math.max(...days)))
  return <Spark values={days} label={label} />
}

/** West, south, east and north in whole degrees, which is what a glance can use. */
export function extentText(bounds: readonly number[] | undefined): string | undefined {
  if (bounds === undefined || bounds.length < 4) return undefined
  const [west = 0, south = 0, east = 0, north = 0] = bounds
  if (east - west >= 359 && north - south >= 130) return homeTexts.value.wholeWorld
  const { compass } = homeTexts.value
  const span = Math.max(east - west, north - south)
  const digits = span >= 20 ? 0 : span >= 2 ? 1 : 2
  const number = (value: number): string => shownNumber(Number(Math.abs(value).toFixed(digits)))
  const across = (value: number): string =>
    `${number(value > 180 ? value - 360 : value)}°${value < 0 || value > 180 ? compass.west : compass.east}`
  const up = (value: number): string => `${number(value)}°${value < 0 ? compass.south : compass.north}`
  return `${across(west)}–${across(east)}, ${up(south)}–${up(north)}`
}
