import type { ColumnView } from '../../geo/coordinate-columns.ts'
import { isPairName, proposeColumns } from '../../geo/coordinate-columns.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { TaskRecord } from './task-record.ts'
import { finalSchema } from './task-schema.ts'

/** A transformation that may be useful, with the evidence. Never applied automatically. */
export interface TransformProposal {
  kind: 'geometry'
  transform: TransformSpec
  /** The CRS to set together with the transformation, if the values indicate one. */
  srs?: string
  evidence: string
}

const degrees = 'EPSG:4326'
const pair = /^\s*[([]?\s*(-?\d{1,3}(?:\.\d+)?)\s*(?:[,;]\s*|\s+)(-?\d{1,3}(?:\.\d+)?)\s*[)\]]?\s*$/
const pairWithCommas = /^\s*[([]?\s*(-?\d{1,3},\d+)\s*(?:[;/]\s*|\s+)(-?\d{1,3},\d+)\s*[)\]]?\s*$/

/**
 * Proposes how rows of a task without geometry can become points, by column names and first values. A column
 * of WKT is not proposed: its format reads it as the geometry.
 */
export function proposeGeometry(task: TaskRecord): TransformProposal[] {
  const { source, transforms } = task
  if (source === undefined || source.raster !== undefined || transforms.length > 0) return []
  const schema = finalSchemaOf(task)
  if (schema === undefined || schema.geometry !== undefined) return []
  const columns = schema.attributes.map(({ name, example }) =>
    example === undefined ? { name } : { name, example },
  )
  const pointFieldName = freeName(columns)
  return [...fromColumns(columns, pointFieldName), ...fromPairs(columns, pointFieldName)]
}

/** Returns undefined if the chain does not fit the data, which the task reports elsewhere. */
function finalSchemaOf(task: TaskRecord): ReturnType<typeof finalSchema> | undefined {
  try {
    return finalSchema(task)
  } catch {
    return undefined
  }
}

function fromColumns(columns: ColumnView[], pointFieldName: string): TransformProposal[] {
  const found = proposeColumns(columns)
  if (found === undefined) return []
  const { x, y, isGeographic, hasCommas = false, isSexagesimal = false } = found
  const example = (name: string): string => columns.find((one) => one.name === name)?.example ?? ''
  const what = isGeographic ? 'longitude and latitude' : 'x and y of a projected CRS'
  return [
    {
      kind: 'geometry',
      transform: {
        ...pointTransform(y, x, pointFieldName),
        ...(hasCommas ? { decimalComma: true } : {}),
        ...(isSexagesimal ? { sexagesimal: true } : {}),
      },
      srs: isGeographic ? degrees : undefined,
      evidence: `Columns "${x}" and "${y}" have names of ${what} and begin with ${example(x)} and ${example(y)}${hasCommas ? ', with a decimal comma' : ''}`,
    },
  ]
}

function fromPairs(columns: ColumnView[], pointFieldName: string): TransformProposal[] {
  return columns.flatMap(({ name, example = '' }): TransformProposal[] => {
    const commas = pairWithCommas.exec(example)
    const [, first = '', second = ''] = commas ?? pair.exec(example) ?? []
    const [y, x] = [first, second].map((text) => Math.abs(Number(text.replace(',', '.'))))
    const isPlace = first !== '' && (y ?? 91) <= 90 && (x ?? 181) <= 180
    const decimalComma = commas === null ? {} : { decimalComma: true }
    if (!isPlace || !isPairName(name)) return []
    return [
      {
        kind: 'geometry',
        transform: { ...pointTransform(name, name, pointFieldName), combined: true, ...decimalComma },
        srs: degrees,
        evidence: `Column "${name}" begins with "${example.trim()}": two numbers, interpreted as latitude and longitude`,
      },
    ]
  })
}

function pointTransform(latField: string, lngField: string, pointFieldName: string): TransformSpec {
  return { type: 'AttributesToPointGeometryTransform', latField, lngField, pointFieldName }
}

/** Returns a geometry name that no column uses. */
function freeName(columns: ColumnView[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  let name = 'location'
  for (let number = 0; taken.has(name); number += 1) name = `location${number}`
  return name
}
