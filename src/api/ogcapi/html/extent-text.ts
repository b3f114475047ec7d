import type { DocumentExtent } from './documents.ts'
import type { Shown } from './html-page.ts'
import { shownTime } from './html-page.ts'

/** The bounds of an extent in longitude and latitude. */
export function extentBounds(
  extent: DocumentExtent | undefined,
): [number, number, number, number] | undefined {
  const box = extent?.spatial?.bbox[0]
  const [west, south, east, north] = box?.length === 6 ? [box[0], box[1], box[3], box[4]] : (box ?? [])
  const bounds = [west, south, east, north]
  return bounds.every((one) => typeof one === 'number' && Number.isFinite(one))
    ? (bounds as [number, number, number, number])
    : undefined
}

/** Formats an extent in whole degrees, or with two decimals if it is small. */
export function placesText(extent: DocumentExtent | undefined, shown: Shown): string {
  const bounds = extentBounds(extent)
  if (bounds === undefined) return ''
  const [west, south, east, north] = bounds
  const digits = Math.max(Math.abs(east - west), north - south) > 10 ? 0 : 2
  const degrees = (value: number, [positive, negative]: readonly [string, string]): string => {
    const text = new Intl.NumberFormat(shown.texts.locale, { maximumFractionDigits: digits }).format(
      Math.abs(value),
    )
    return `${text}°${Number(value.toFixed(digits)) === 0 ? '' : `\u202f${value > 0 ? positive : negative}`}`
  }
  const across = shown.language === 'de' ? (['O', 'W'] as const) : (['E', 'W'] as const)
  const up = ['N', 'S'] as const
  return `${degrees(west, across)} – ${degrees(east, across)}, ${degrees(south, up)} – ${degrees(north, up)}`
}

/** Formats a temporal extent. */
export function timesText(extent: DocumentExtent | undefined, shown: Shown): string {
  const [from, to] = extent?.temporal?.interval[0] ?? []
  if (from === undefined && to === undefined) return ''
  const { open, to: until, times } = shown.texts.collection
  const reported = (time: string | null | undefined): string => (time == null ? open : shownTime(shown, time))
  const count = extent?.temporal?.grid?.cellsCount
  const range =
    reported(from) === reported(to) ? reported(from) : `${reported(from)} ${until} ${reported(to)}`
  return count === undefined ? range : `${range} (${times(String(count))})`
}
