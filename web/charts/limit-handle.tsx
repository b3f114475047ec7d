/** A line across a chart, and how it is moved. */
export interface Limit {
  value: number
  /** Step of an arrow key; ten times with Shift. */
  step: number
  least: number
  most?: number | undefined
  label: string
  /** The value as people read it. */
  text: string
  onMove(value: number): void
}

interface Props {
  limit: Limit
  /** Position of the line, from the upper edge of the chart; undefined until it is drawn. */
  top: number | undefined
  /** The value at that height of the window. */
  valueAt(y: number): number | undefined
}

const coarse = 10

/** Handle of the line, for pointer and arrow keys. */
export function LimitHandle({ limit, top, valueAt }: Props) {
  const { value, step, least, most, label, text, onMove } = limit
  const move = (next: number): void => {
    const onStep = Math.round(next / step) * step
    const bound = Math.min(most ?? Number.POSITIVE_INFINITY, Math.max(least, onStep))
    onMove(Number(bound.toFixed(4)))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = step * (event.shiftKey ? coarse : 1)
    const moves: Record<string, number> = {
      ArrowUp: value + by,
      ArrowRight: value + by,
      ArrowDown: value - by,
      ArrowLeft: value - by,
      PageUp: value + coarse * step,
      PageDown: value - coarse * step,
      Home: least,
    }
    const next = moves[event.key]
    if (next === undefined) return
    event.preventDefault()
    move(next)
  }
  return (
    <div
      class="limit"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={text}
      style={{ top: `${top ?? 0}px`, visibility: top === undefined ? 'hidden' : 'visible' }}
      onKeyDown={onKeyDown}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientY }) => {
        if (!currentTarget.hasPointerCapture(pointerId)) return
        const next = valueAt(clientY)
        if (next !== undefined) move(next)
      }}
    >
      <span aria-hidden="true">{text}</span>
    </div>
  )
}
