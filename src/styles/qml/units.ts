import { ownValue } from '../../core/values/record-keys.ts'
import type { LengthUnit } from '../model.ts'

const pixelsOf: Record<string, number> = { Pixel: 1, MM: 96 / 25.4, Point: 96 / 72, Inch: 96 }

/**
 * Returns the size of a QGIS unit: a number of pixels, or metres on the ground. Map units are taken for
 * metres.
 */
export function measureOf(unit: string): { factor: number; unit?: LengthUnit } | undefined {
  const factor = ownValue(pixelsOf, unit)
  if (factor !== undefined) return { factor }
  return unit === 'RenderMetersInMapUnits' || unit === 'MapUnit' ? { factor: 1, unit: 'metre' } : undefined
}

/** Returns QGIS's name of a unit of length. */
export function unitName(unit: LengthUnit | undefined): string {
  return unit === 'metre' ? 'RenderMetersInMapUnits' : 'Pixel'
}

/** Parses a colour of the form `r,g,b,a` into a colour and an opacity. */
export function parseQgisColor(text: string | undefined): { color: string; opacity: number } | undefined {
  const parts = (text ?? '').split(',').slice(0, 4).map(Number)
  if (parts.length < 3 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined
  const [red = 0, green = 0, blue = 0, alpha = 255] = parts.map(Math.round)
  const color = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
  return { color, opacity: Math.round((alpha / 255) * 100) / 100 }
}

/** Formats a colour `#rrggbb` and its opacity in the form of QGIS. */
export function qgisColor(color: string, opacity: number): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return [...parts, Math.round(opacity * 255)].join(',')
}

/** Removes the rounding error of a unit conversion. */
export function tidyNumber(length: number): number {
  return Number(length.toPrecision(6))
}
