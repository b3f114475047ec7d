/** Operation from one geographic CRS to another, as PROJ proposes it. */
export interface Operation {
  /** Authority id and name in PROJ's words. */
  name: string
  kind: 'null' | 'helmert' | 'grid' | 'other' | 'ballpark'
  /** In metres; absent when unknown. */
  accuracy?: number
  /** west, south, east, north. */
  area?: number[]
  /** x, y, z in metres, rx, ry, rz in arc seconds (position vector), s in parts per million. */
  shift?: number[]
  grids?: string[]
  /** For use at sea only: PROJ takes it where nothing else fits. */
  isOffshore?: true
}

const harmless = new Set(['axisswap', 'unitconvert', 'push', 'pop', 'cart', 'longlat', 'noop', 'pipeline'])

function parameter(step: string, name: string): number {
  const match = new RegExp(`\\+${name}=(\\S+)`).exec(step)
  return match === null ? 0 : Number(match[1])
}

function shiftOf(step: string): number[] | undefined {
  if (/\+(dx|t_epoch|theta|exact)\b/.test(step)) return undefined
  const sign = step.includes('coordinate_frame') ? -1 : 1
  const angles = ['rx', 'ry', 'rz'].map((name) => {
    const value = parameter(step, name)
    return value === 0 ? 0 : sign * value
  })
  return [...['x', 'y', 'z'].map((name) => parameter(step, name)), ...angles, parameter(step, 's')]
}

/** Classifies the operation of a PROJ pipeline between the two geographic CRSs. */
function classify(pipeline: string): Pick<Operation, 'kind' | 'shift' | 'grids'> {
  const grids = [...pipeline.matchAll(/\+(?:grids|file|model)=(\S+)/g)].flatMap((match) =>
    (match[1] ?? '').split(','),
  )
  if (grids.length > 0) return { kind: 'grid', grids }
  const steps = pipeline.split('+step').map((step) => step.trim())
  const named = steps.map((step) => ({ step, name: /\+proj=(\S+)/.exec(step)?.[1] ?? 'noop' }))
  const acting = named.filter(({ name }) => !harmless.has(name))
  if (acting.length === 0) return { kind: 'null' }
  const [only] = acting
  if (acting.length > 1 || only === undefined || only.name !== 'helmert') return { kind: 'other' }
  const shift = only.step.includes('+inv') ? undefined : shiftOf(only.step)
  if (shift === undefined) return { kind: 'other' }
  return shift.every((value) => value === 0) ? { kind: 'null' } : { kind: 'helmert', shift }
}

/** The candidates in the output of `projinfo -s A -t B -o PROJ,WKT2:2019 --single-line`. */
export function parseOperations(output: string): Operation[] {
  return output
    .split(/-{30,}\nOperation No\. \d+:\n/)
    .slice(1)
    .map((text) => {
      const [title = ''] = text.trim().split('\n')
      const pipeline = /PROJ string:\n(.*)/.exec(text)?.[1] ?? ''
      const parts = title.split(', ')
      const operation: Operation = { name: parts.slice(0, 2).join(', '), ...classify(pipeline) }
      const accuracy = /, ([\d.]+) m,/.exec(title)?.[1]
      if (accuracy !== undefined) operation.accuracy = Number(accuracy)
      if (title.includes('- offshore')) operation.isOffshore = true
      if (title.includes('Ballpark')) operation.kind = 'ballpark'
      else if (pipeline === '' || pipeline.startsWith('Error')) operation.kind = 'other'
      const boxes = [...text.matchAll(/BBOX\[([^\]]+)\]/g)]
      const last = boxes.at(-1)?.[1]?.split(',').map(Number)
      if (last?.length === 4) operation.area = [last[1], last[0], last[3], last[2]] as number[]
      return operation
    })
}
