import { without } from '../../core/values/defined.ts'
import type { Expression } from '../../filters/expression.ts'
import { conjunction, disjunction } from '../../filters/expression.ts'
import { getCondition, negation } from '../condition.ts'
import { passOf } from '../evaluate.ts'
import { expandRules, withoutElse } from '../expand.ts'
import { Losses } from '../losses.ts'
import type { Dimension, LengthUnit, Rule, Style, Symbolizer } from '../model.ts'
import { mapFileNumber } from './mark-symbols.ts'
import type { ConditionTable } from './write-condition.ts'
import { conditionSql } from './write-condition.ts'
import { DrawnColumns, symbolBlocks } from './write-symbols.ts'

/** The table that is drawn. */
export interface DrawnTable extends ConditionTable {
  /** Dimension of all its features; undefined if they may have any. */
  dimension?: Dimension
  /** True if labels that the edge of the picture would cut are omitted. */
  hasWholeLabels?: boolean
}

/** Part of the table that one layer of a map file draws. */
export interface DrawnPart {
  type: 'POINT' | 'LINE' | 'POLYGON'
  unit: LengthUnit
  /** Columns of the query other than the geometry, each with its name. */
  columns: string[]
  /** Selects rows; absent: all. */
  where?: string
  /** CLASS blocks. */
  classes: string[]
}

/** Parts of a map file for a style, and the parts of the style that they cannot express. */
export interface MapFileStyle {
  /** In drawing order, the lowest first. */
  parts: DrawnPart[]
  lost: string[]
}

const types = ['POINT', 'LINE', 'POLYGON'] as const
/** Polygons first, so that smaller features are on top. */
const dimensions: readonly Dimension[] = [2, 1, 0]
/** Maximum number of columns of a query, below the limits of SQLite and PostgreSQL. */
const maxColumns = 1500

/**
 * Writes the parts of a map file (MapServer 8.0) that draw a table by a style. SQL selects the rules, with
 * the same result as `evaluate`.
 */
export function writeMapServer(style: Style, table: DrawnTable): MapFileStyle {
  const losses = new Losses(style.lost)
  const rules = expandRules(withoutElse(style.rules, losses), losses)
  const passes = [...new Set(rules.map(passOf))].sort((one, other) => one - other)
  const drawn = table.dimension === undefined ? dimensions : [table.dimension]
  const parts = passes.flatMap((pass) =>
    drawn.flatMap((dimension) => {
      const here = rules.filter((rule) => passOf(rule) === pass)
      return partsOf(here, { ...table, dimension }, table.dimension === undefined, losses)
    }),
  )
  return { parts, lost: losses.list() }
}

/** Returns one part per unit of length. */
function partsOf(
  rules: Rule[],
  table: DrawnTable & { dimension: Dimension },
  isMixed: boolean,
  losses: Losses,
): DrawnPart[] {
  const { dialect, dimension, geometry } = table
  const where = isMixed ? { where: dialect.isDimension(dialect.name(geometry), dimension) } : {}
  return (['pixel', 'metre'] as const).flatMap((unit) => {
    const shown = new DrawnColumns()
    const classes = rules.flatMap((whole) => {
      const condition = settleDimension(whole.condition ?? conjunction([]), dimension)
      if (condition === false) return []
      const rule = condition === true ? without(whole, 'condition') : { ...whole, condition }
      const symbols = rule.symbols.filter((symbol) => unitOf(symbol) === unit)
      const blocks = symbols.flatMap((symbol) => symbolBlocks(symbol, { ...table, shown, losses }))
      if (blocks.length === 0) return []
      if (shown.size >= maxColumns) return losses.add(`rules after the first ${maxColumns}`) ?? []
      return [classBlock(rule, blocks, conditionOf(rule, table, shown, losses))]
    })
    return classes.length === 0
      ? []
      : [{ type: types[dimension], unit, columns: shown.list(), ...where, classes }]
  })
}

/** Simplifies a condition for features of one dimension, possibly to a constant. */
function settleDimension(expression: Expression, dimension: Dimension): Expression | boolean {
  const condition = getCondition(expression)
  switch (condition.op) {
    case 'dimension':
      return condition.value === dimension
    case 'not': {
      const inner = settleDimension(condition.condition, dimension)
      return typeof inner === 'boolean' ? !inner : negation(inner)
    }
    case 'all':
    case 'any': {
      // Value that decides the group by itself, as opposed to the neutral one.
      const decisive = condition.op === 'any'
      const settled = condition.conditions.map((one) => settleDimension(one, dimension))
      if (settled.includes(decisive)) return decisive
      const conditions = settled.filter((one) => typeof one !== 'boolean')
      if (conditions.length === 0) return !decisive
      return decisive ? disjunction(conditions) : conjunction(conditions)
    }
    default:
      return expression
  }
}

function unitOf(symbol: Symbolizer): LengthUnit {
  return 'unit' in symbol ? (symbol.unit ?? 'pixel') : 'pixel'
}

function conditionOf(
  { condition }: Rule,
  table: ConditionTable,
  shown: DrawnColumns,
  losses: Losses,
): string {
  if (condition === undefined) return ''
  const sql = `CASE WHEN ${conditionSql(condition, table, losses)} THEN 1 ELSE 0 END`
  return `EXPRESSION ([${shown.take(sql)}] = 1)`
}

function classBlock({ minScale, maxScale }: Rule, blocks: string[], expression: string): string {
  return [
    'CLASS',
    expression,
    minScale === undefined ? '' : `MINSCALEDENOM ${mapFileNumber(minScale)}`,
    maxScale === undefined ? '' : `MAXSCALEDENOM ${mapFileNumber(maxScale)}`,
    ...blocks,
    'END',
  ]
    .filter((line) => line !== '')
    .join('\n')
}
