import type { ColumnView } from '../geo/coordinate-columns.ts'
import type { Unit } from './progress-display.ts'

/** Properties of an import that the command line uses, from the JSON of the server. */
export interface ImportView {
  id: number
  state: string
  /** Target workspace of its layers. */
  workspace: string
  message?: string
  messages: MessageView[]
}

/** A message of the server about an import or a task. */
export interface MessageView {
  level: string
  text: string
  /** Code of a server message. */
  code?: string
}

export interface TaskView {
  id: number
  state: string
  file: string
  layer: string
  workspace?: string
  updateMode?: string
  srs?: string
  rejected: number
  /** Unit of its progress; only in the full representation of a task. */
  unit: Unit
  /** Its attribute columns; only in a task whose layer is included in full. */
  columns: ColumnView[]
  /** True if it is known to have rows without a geometry. */
  isTable: boolean
  errorMessage?: string
  messages: MessageView[]
}

export interface ProgressView {
  state: string
  done: number
  /** -1 if unknown. */
  total: number
  phase?: string
  rowsPerSecond?: number
}

export function readImport(body: unknown): ImportView {
  const json = object(object(body).import)
  return {
    id: number(json.id),
    state: text(json.state) ?? '',
    workspace: text(object(object(json.targetWorkspace).workspace).name) ?? '',
    messages: readMessages(json.messages),
    ...present('message', text(json.message)),
  }
}

/** Reads a task from the JSON of the server, in a collection or alone. */
function readTask(body: unknown): TaskView {
  const json = object(body)
  const data = object(json.data)
  const layer = object(json.layer)
  const { dataStore, coverageStore } = object(json.target)
  const target = object(dataStore ?? coverageStore)
  const unit = object(json.transformChain).type === 'raster' ? 'bytes' : 'rows'
  return {
    id: number(json.id),
    state: text(json.state) ?? '',
    file: text(data.file) ?? text(data.location) ?? text(data.name) ?? text(layer.name) ?? '',
    layer: text(layer.name) ?? '',
    rejected: number(json.rejected),
    unit,
    columns: readColumns(layer.attributes),
    isTable: unit === 'rows' && Array.isArray(layer.attributes) && !hasGeometry(layer.attributes),
    messages: readMessages(json.messages),
    ...present('workspace', text(target.workspace) ?? text(object(target.workspace).name)),
    ...present('srs', text(layer.srs)),
    ...present('updateMode', text(json.updateMode)),
    ...present('errorMessage', text(json.errorMessage)),
  }
}

export function readTasks(body: unknown): TaskView[] {
  const { tasks, task } = object(body)
  return (Array.isArray(tasks) ? tasks : [task]).map(readTask)
}

/** True if a list of attributes, of a task's layer or of a published one, has a geometry. */
export function hasGeometry(attributes: unknown): boolean {
  return list(attributes).some(isGeometry)
}

function isGeometry(attribute: unknown): boolean {
  return /\.jts\.geom\./.test(text(object(attribute).binding) ?? '')
}

function readColumns(attributes: unknown): ColumnView[] {
  return list(attributes)
    .filter((one) => !isGeometry(one))
    .map((one) => {
      const { name, example } = object(one)
      return { name: text(name) ?? '', ...present('example', text(example)) }
    })
}

export function readMessages(value: unknown): MessageView[] {
  return list(value).map((one) => {
    const { level, message, row, code } = object(one)
    const suffix = typeof row === 'number' ? ` (row ${row})` : ''
    return {
      level: text(level) ?? 'info',
      text: `${text(message) ?? ''}${suffix}`,
      ...present('code', text(code)),
    }
  })
}

export function readProgress(body: unknown): ProgressView {
  const json = object(body)
  return {
    state: text(json.state) ?? '',
    done: number(json.progress),
    total: number(json.total, -1),
    ...present('phase', text(json.phase)),
    ...present('rowsPerSecond', typeof json.rowsPerSecond === 'number' ? json.rowsPerSecond : undefined),
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function number(value: unknown, fallback = 0): number {
  return typeof value === 'number' ? value : fallback
}

function present<K extends string, T>(name: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: T })
}
