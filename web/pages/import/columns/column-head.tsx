import { shownShare } from '../../../components/formats.ts'
import { formatNumber } from '../../../lib/numbers.ts'
import { columnsTexts } from '../../../messages/import/texts.ts'
import { messages } from '../../../messages/messages.ts'
import type { Attribute, ColumnFigures } from '../types.ts'
import { shownValue } from './shown-value.ts'
import type { TransformTypes } from './transform-types.ts'

type Figures = ColumnFigures['columns'][number]

interface ColumnHeadProps {
  name: string
  figures: Figures | undefined
  /** Attribute of the layer; absent for a column that a transformation creates. */
  attribute: Attribute | undefined
  classes: TransformTypes['classes']
  hasFailed: boolean
  onChange(change: { name?: string; binding?: string } | 'leave'): void
}

/** Content of a column, and its target attribute. */
export function ColumnHead({ name, figures, attribute, classes, hasFailed, onChange }: ColumnHeadProps) {
  const texts = columnsTexts.value
  return (
    <div class="colh">
      {attribute === undefined ? (
        <>
          <div class="nm">
            <b dir="auto">{name}</b>
          </div>
          <span class="mono tiny">{figures === undefined ? '' : texts.typeOf(figures.type)}</span>
        </>
      ) : (
        <>
          <div class="nm">
            <input
              type="checkbox"
              checked
              aria-label={texts.bring(name)}
              onChange={(event) => {
                event.currentTarget.checked = true
                onChange('leave')
              }}
            />
            <input
              key={name}
              class="cn"
              dir="auto"
              aria-label={texts.rename(name)}
              aria-invalid={hasFailed}
              defaultValue={name}
              onChange={(event) => {
                const requested = event.currentTarget.value.trim()
                if (requested !== '' && requested !== name) onChange({ name: requested })
              }}
            />
          </div>
          <select
            aria-label={texts.type(name)}
            aria-invalid={hasFailed}
            value={attribute.binding}
            onChange={(event) => onChange({ binding: event.currentTarget.value })}
          >
            {classes
              .filter(({ isGeometry }) => !isGeometry)
              .map(({ name: binding, type }) => (
                <option key={binding} value={binding}>
                  {texts.typeOf(type)}
                </option>
              ))}
          </select>
        </>
      )}
      {figures !== undefined && <Holds {...figures} />}
    </div>
  )
}

const barWidth = 100
const barHeight = 20

function Holds({ count, empty, distinct, min, max, frequent = [], exact }: Figures) {
  const texts = columnsTexts.value
  const share = count === 0 ? 0 : empty / count
  const most = Math.max(1, ...frequent.map((one) => one.count))
  const often = frequent
    .map((one) => `${shownValue(one.value)} ${formatNumber(messages.value.locale, one.count)}`)
    .join(', ')
  const step = barWidth / Math.max(1, frequent.length)
  return (
    <>
      <svg
        class="hist"
        viewBox={`0 0 ${barWidth} ${barHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.frequent(often)}
      >
        <title>{texts.frequent(often)}</title>
        {frequent.map((one, index) => {
          const height = Math.max(1, (one.count / most) * barHeight)
          return (
            <rect
              key={`${index}`}
              x={index * step + 0.5}
              y={barHeight - height}
              width={Math.max(0.5, step - 1)}
              height={height}
            />
          )
        })}
      </svg>
      <div class="rng">
        <span class="cut" dir="auto" title={texts.least}>
          {shownValue(min)}
        </span>
        <span class="cut" dir="auto" title={texts.greatest}>
          {shownValue(max)}
        </span>
      </div>
      <span class={`stt cut${share >= 0.5 ? ' lacks' : ''}`}>
        {share === 0 ? texts.full : texts.empty(shownShare(share))}
        {distinct !== undefined && ` · ${texts.distinct(distinct, exact)}`}
      </span>
      <span class="stt cut" dir="auto">
        {often === '' ? '\u00a0' : texts.often(often)}
      </span>
    </>
  )
}
