import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { Swatch } from '../style/class-rows.tsx'
import { shortNumber } from '../style/edited-style.ts'
import type { EditedRaster, RasterEntry } from './edited-raster.ts'

interface Props {
  edited: EditedRaster
  onChange(edited: EditedRaster): void
}

/** Colour, value and title of each entry, as the legend will have them. */
export function RasterRows({ edited, onChange }: Props) {
  const texts = styleTexts.value.raster
  const { mode, entries } = edited
  const put = (at: number, one: RasterEntry): void =>
    onChange({ ...edited, entries: entries.map((other, index) => (index === at ? one : other)) })
  return (
    <div class="scroll">
      <table class="cls">
        <thead>
          <tr>
            <th scope="col">{styleTexts.value.rows.color}</th>
            <th scope="col">
              {mode === 'intervals' ? styleTexts.value.rows.upper : styleTexts.value.rows.value}
            </th>
            <th scope="col">{styleTexts.value.rows.title}</th>
            <th scope="col">{texts.shown}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((one, at) => (
            <Row key={at} {...{ entries, at, one, mode }} onChange={(next) => put(at, next)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  entries: readonly RasterEntry[]
  at: number
  one: RasterEntry
  mode: EditedRaster['mode']
  onChange(one: RasterEntry): void
}

function Row({ entries, at, one, mode, onChange }: RowProps) {
  const { rows, raster } = styleTexts.value
  const isEndless = one.value === Number.POSITIVE_INFINITY
  const output = isEndless ? rows.noLimit : shortNumber(one.value)
  return (
    <tr>
      <td>
        <Swatch
          label={rows.colorOf(output)}
          value={one.color}
          onChange={(color) => onChange({ ...one, color })}
        />
      </td>
      <td class="num">
        {isEndless || mode === 'values' ? (
          <span class={isEndless ? 'dim' : ''}>{output}</span>
        ) : (
          <input
            class="in num"
            type="number"
            step="any"
            aria-label={raster.valueOf(at + 1)}
            value={one.value}
            onChange={({ currentTarget }) => {
              const value = currentTarget.valueAsNumber
              if (fits(entries, at, value)) onChange({ ...one, value })
              else currentTarget.value = String(one.value)
            }}
          />
        )}
      </td>
      <td>
        <input
          class="in"
          dir="auto"
          aria-label={rows.titleOf(output)}
          placeholder={output}
          value={one.title ?? ''}
          onInput={({ currentTarget }) => {
            const { title: _old, ...rest } = one
            onChange(currentTarget.value === '' ? rest : { ...rest, title: currentTarget.value })
          }}
        />
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={raster.isShown(output)}
          checked={one.opacity > 0}
          onChange={() => onChange({ ...one, opacity: one.opacity > 0 ? 0 : 1 })}
        />
      </td>
    </tr>
  )
}

function fits(entries: readonly RasterEntry[], at: number, value: number): boolean {
  const [lower, upper] = [entries[at - 1]?.value, entries[at + 1]?.value]
  return Number.isFinite(value) && value >= (lower ?? value) && value <= (upper ?? value)
}
