import { defined } from '../../core/values/defined.ts'
import { getCondition } from '../condition.ts'
import { plainSymbol } from '../evaluate.ts'
import type { Dimension, Driven, Literal, PlainSymbolizer, Rule, Style, Symbolizer } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import type { Legend, LegendEntry } from './legend-model.ts'
import type { LegendRasters } from './legend-rasters.ts'
import { rasterEntries } from './legend-rasters.ts'

/** Input of a legend besides the style. */
export interface LegendSubject {
  title: string
  /** Dimension of the layer's geometry, if it has only one. */
  dimension?: Dimension
  rasters?: LegendRasters
}

/** Lines of a legend at most. */
const maxEntries = 200
/** Zoom at which zoom-dependent symbols are shown, or the nearest one. */
const shownZoom = 14
const maxTitle = 500

/** The legend of a style. */
export function legendOf(style: Style, subject: LegendSubject): Legend {
  const messages = new Set<string>()
  const all: LegendEntry[] = []
  const isOnly = style.rules.length === 1
  const read = style.rules.findIndex((rule) => {
    all.push(...ruleEntries(rule, titleOf(rule, isOnly), subject, messages))
    return all.length > maxEntries
  })
  const entries = all.slice(0, maxEntries)
  // Rules that were not evaluated count as at least one line each.
  const leftOut = all.length - entries.length + (read < 0 ? 0 : style.rules.length - read - 1)
  if (leftOut > 0) messages.add(`${leftOut} further lines are left out: a legend has ${maxEntries} at most`)
  const [first] = entries
  if (entries.length === 1 && first?.title === '' && first.ramp === undefined) first.title = subject.title
  return { title: subject.title, entries, leftOut, messages: [...messages] }
}

/** Names are identifiers for programs: the name of a single rule adds nothing to the layer's title. */
function titleOf({ title, name = '' }: Rule, isOnly: boolean): string {
  return (title ?? (isOnly ? '' : name)).slice(0, maxTitle)
}

type AnyDriven = Driven<string | number>

/** True if a value depends on an attribute; false if it depends on the zoom only. */
function isByAttribute(value: unknown): value is AnyDriven {
  if (typeof value !== 'object' || value === null || !('by' in value)) return false
  const driven = value as AnyDriven
  return driven.by === 'attribute' || driven.by === 'categories' || driven.input !== 'zoom'
}

/** Every value of a symbol that an attribute decides, colours first. */
function drivenValues(value: unknown, key = ''): { key: string; value: AnyDriven }[] {
  if (isByAttribute(value)) return [{ key, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'label' ? [] : drivenValues(inner, name)))
}

function propertyOf(driven: AnyDriven): string {
  if (driven.by === 'attribute' || driven.by === 'categories') return driven.property
  return typeof driven.input === 'object' ? driven.input.property : ''
}

/** A possible attribute value, and its description. */
interface Probe {
  title: string
  value: Literal | undefined
}

function numberWords(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(12))) : String(value)
}

function probesOf(driven: AnyDriven): Probe[] {
  switch (driven.by) {
    case 'categories':
      return [
        ...driven.categories.map(({ values }) => ({
          title: values.map(String).join(', '),
          value: values[0],
        })),
        { title: 'Other', value: undefined },
      ]
    case 'classes': {
      const { breaks } = driven
      const [first] = breaks
      const last = breaks.at(-1)
      if (first === undefined || last === undefined) return [{ title: '', value: 0 }]
      const inner = breaks.slice(1).map((to, index) => {
        const from = breaks[index] ?? to
        return { title: `${numberWords(from)} – ${numberWords(to)}`, value: (from + to) / 2 }
      })
      const below = { title: `< ${numberWords(first)}`, value: first - Math.max(1, Math.abs(first)) }
      return [below, ...inner, { title: `≥ ${numberWords(last)}`, value: last }]
    }
    case 'interpolation':
      return driven.stops.map(({ at }) => ({ title: numberWords(at), value: at }))
    case 'attribute':
      return []
  }
}

function scaleFor({ minScale, maxScale }: Rule): number {
  const usual = scaleOfZoom(shownZoom)
  if (minScale !== undefined && usual < minScale) return minScale
  if (maxScale !== undefined && usual >= maxScale) return maxScale * 0.999
  return usual
}

/** Returns the dimension that a rule draws: from its filter, otherwise from its symbols. */
function dimensionOf(rule: Rule, symbols: readonly Symbolizer[], { dimension }: LegendSubject): Dimension {
  const condition = rule.condition && getCondition(rule.condition)
  if (condition?.op === 'dimension') return condition.value
  if (symbols.some(({ kind }) => kind === 'polygon')) return 2
  if (symbols.every(({ kind }) => kind === 'point' || kind === 'icon' || kind === 'text')) return 0
  return dimension === 2 ? 2 : 1
}

function ruleEntries(
  rule: Rule,
  title: string,
  subject: LegendSubject,
  messages: Set<string>,
): LegendEntry[] {
  const { minScale, maxScale } = rule
  const scales = {
    minScale: minScale === undefined || minScale <= 0 ? undefined : minScale,
    maxScale: maxScale === undefined || !Number.isFinite(maxScale) ? undefined : maxScale,
  }
  const rasters = rule.symbols.filter((symbol) => symbol.kind === 'raster')
  const drawn = rule.symbols.filter((symbol) => symbol.kind !== 'raster')
  const ofRasters = rasters.flatMap((symbol) =>
    rasterEntries(symbol, title, subject.rasters).map((entry) => ({ ...entry, ...defined(scales) })),
  )
  if (drawn.length === 0) return ofRasters
  for (const { kind } of drawn)
    if (kind === 'icon')
      messages.add('A picture from elsewhere is shown as an empty frame: it is not fetched')
  const dimension = dimensionOf(rule, drawn, subject)
  const at = (probe: Probe | undefined, driven?: AnyDriven): LegendEntry => ({
    title: probe === undefined || probe.title === '' ? title : probe.title,
    ...scales,
    dimension,
    symbols: drawn.map((symbol) => plainAt(symbol, rule, dimension, probe, driven)),
  })
  const [primary, ...others] = drivenValues(drawn).sort((a, b) => rank(a.key) - rank(b.key))
  if (primary === undefined) return [...ofRasters, at(undefined)]
  const property = propertyOf(primary.value)
  for (const other of others)
    if (propertyOf(other.value) !== property)
      messages.add(`What "${propertyOf(other.value)}" decides is shown for one value only`)
  const probes = probesOf(primary.value)
  if (probes.length === 0) {
    messages.add(`What the values of "${property}" say by themselves is shown for one of them only`)
    return [...ofRasters, at(undefined)]
  }
  const heading = title === '' ? [] : [{ title, ...scales, symbols: [], dimension }]
  return [...ofRasters, ...heading, ...probes.map((probe) => at(probe, primary.value))]
}

function rank(key: string): number {
  return key === 'color' ? 0 : 1
}

function plainAt(
  symbol: Symbolizer,
  rule: Rule,
  dimension: Dimension,
  probe: Probe | undefined,
  driven: AnyDriven | undefined,
): PlainSymbolizer {
  const property = driven === undefined ? undefined : propertyOf(driven)
  const get = (name: string): unknown => (name === property ? probe?.value : undefined)
  const plain = plainSymbol(symbol, { dimension, get }, scaleFor(rule))
  return plain.kind === 'text' ? { ...plain, label: ['Abc'] } : plain
}
