import { useRef } from 'preact/hooks'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { type EditedStyle, shortNumber } from './edited-style.ts'

interface Props {
  classes: EditedStyle['classes']
  min: number
  max: number
  histogram: readonly number[]
  onMove(index: number, upper: number): void
}

const height = 56

/** Histogram with the limits between classes, movable by pointer and arrow keys. */
export function Limits({ classes, min, max, histogram, onMove }: Props) {
  const texts = styleTexts.value.limits
  const track = useRef<HTMLDivElement>(null)
  const width = max - min
  if (!(width > 0)) return null
  const most = Math.max(1, ...histogram)
  const step = niceStep(width)
  const moved = (index: number, value: number): void => {
    const lower = classes[index - 1]?.upper ?? min
    const upper = classes[index + 1]?.upper
    const end = index + 1 === classes.length - 1 ? max : (upper ?? max)
    onMove(index, Math.min(end, Math.max(lower, Number((Math.round(value / step) * step).toPrecision(12)))))
  }
  const valueAt = (x: number): number => {
    const box = track.current?.getBoundingClientRect()
    return box === undefined ? min : min + ((x - box.left) / box.width) * width
  }
  return (
    <div class="limits">
      <div class="limits-track" ref={track}>
        <svg viewBox={`0 0 ${histogram.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {histogram.map((count, at) => {
            const tall = count === 0 ? 0 : Math.max(1.5, (count / most) * height)
            const middle = min + ((at + 0.5) / histogram.length) * width
            return (
              <rect
                key={at}
                x={at + 0.06}
                y={height - tall}
                width={0.88}
                height={tall}
                fill={colorAt(classes, middle)}
              />
            )
          })}
        </svg>
        {classes.slice(0, -1).map(({ upper }, index) => (
          <div
            key={index}
            class="limit"
            role="slider"
            tabIndex={0}
            aria-label={texts.limit(index + 1)}
            aria-valuemin={classes[index - 1]?.upper ?? min}
            aria-valuemax={index + 2 < classes.length ? (classes[index + 1]?.upper ?? max) : max}
            aria-valuenow={upper}
            aria-valuetext={shortNumber(upper)}
            style={{ left: `${Math.min(100, Math.max(0, ((upper - min) / width) * 100))}%` }}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId)
            }}
            onPointerMove={(event) => {
              if (event.currentTarget.hasPointerCapture(event.pointerId)) moved(index, valueAt(event.clientX))
            }}
            onKeyDown={(event) => {
              const turn = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key]
              if (turn === undefined) return
              event.preventDefault()
              moved(index, upper + turn * step * (event.shiftKey ? 10 : 1))
            }}
          />
        ))}
      </div>
      <p class="split tiny dim">
        <span>{shortNumber(min)}</span>
        <span>{texts.hint}</span>
        <span>{shortNumber(max)}</span>
      </p>
    </div>
  )
}

/** About a two-hundredth of the width, of 1, 2 or 5. */
function niceStep(width: number): number {
  const raw = width / 200
  const power = 10 ** Math.floor(Math.log10(raw))
  return power * ([1, 2, 5].find((one) => one * power >= raw) ?? 10)
}

function colorAt(classes: EditedStyle['classes'], value: number): string {
  const found = classes.find(({ upper }, at) => value <= upper || at === classes.length - 1)
  return found?.color ?? '#98a3a0'
}
