import type { Signal } from '@preact/signals'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { Limits } from '../style/limits.tsx'
import { NumberField, SelectField } from '../style/small-fields.tsx'
import type { Coloring } from './coloring.ts'
import { type EditedRaster, spreadOf } from './edited-raster.ts'

interface Props {
  edited: Signal<EditedRaster>
  coloring: Coloring
}

type Chosen = EditedRaster['one']

/** Bands to draw, and their ranges of values. */
export function StretchFields({ edited, coloring }: Props) {
  const texts = styleTexts.value.raster
  const style = edited.value
  if (style.mode === 'shades') {
    const set = (one: Chosen): void => {
      edited.value = { ...edited.peek(), one }
    }
    return <OneBand label={texts.band} chosen={style.one} coloring={coloring} onChange={set} />
  }
  return (
    <>
      {texts.channels.map((label, at) => (
        <OneBand
          key={label}
          label={label}
          chosen={style.three[at] ?? style.one}
          coloring={coloring}
          onChange={(chosen) => {
            const [red, green, blue] = edited.peek().three
            const three: EditedRaster['three'] = [
              at === 0 ? chosen : red,
              at === 1 ? chosen : green,
              at === 2 ? chosen : blue,
            ]
            edited.value = { ...edited.peek(), three }
          }}
        />
      ))}
    </>
  )
}

interface BandProps {
  label: string
  chosen: Chosen
  coloring: Coloring
  onChange(chosen: Chosen): void
}

const ways = ['server', 'most', 'all', 'own'] as const

function OneBand({ label, chosen, coloring, onChange }: BandProps) {
  const texts = styleTexts.value.raster
  const bands = coloring.bands.value?.bands ?? []
  const band = coloring.band(chosen.band)
  const { stretch } = chosen
  const isSame = (isAll: boolean): boolean => {
    const { min, max } = spreadOf(band ?? {}, isAll)
    return stretch?.min === min && stretch.max === max
  }
  const way = stretch === undefined ? 'server' : isSame(false) ? 'most' : isSame(true) ? 'all' : 'own'
  const stretched = (next: (typeof ways)[number], number: number): Chosen => {
    if (next === 'server') return { band: number }
    if (next === 'own') return chosen
    return { band: number, stretch: spreadOf(coloring.band(number) ?? {}, next === 'all') }
  }
  return (
    <fieldset class="stack s2 raster-band">
      <legend class="lbl">{label}</legend>
      <div class="style-fields">
        <SelectField
          label={texts.band}
          value={String(chosen.band)}
          options={bands.map(({ band: number, name }) => ({
            value: String(number),
            text: texts.bandName(number, name),
          }))}
          onChange={(number) => onChange(stretched(way === 'own' ? 'most' : way, Number(number)))}
        />
        <SelectField
          label={texts.stretch}
          value={way}
          options={ways
            .filter((one) => one !== 'own' || way === 'own')
            .map((value) => ({ value, text: texts.stretches[value] }))}
          onChange={(next) => onChange(stretched(next, chosen.band))}
        />
        {stretch !== undefined && (
          <>
            <NumberField
              {...{ label: texts.from, value: stretch.min, min: -1e300, max: stretch.max, step: 'any' }}
              onChange={(min) => onChange({ ...chosen, stretch: { ...stretch, min } })}
            />
            <NumberField
              {...{ label: texts.to, value: stretch.max, min: stretch.min, max: 1e300, step: 'any' }}
              onChange={(max) => onChange({ ...chosen, stretch: { ...stretch, max } })}
            />
          </>
        )}
      </div>
      {stretch !== undefined && band?.min !== undefined && band.max !== undefined && (
        <Limits
          classes={[
            { upper: stretch.min, color: '#3c4644' },
            { upper: stretch.max, color: '#7f8b88' },
            { upper: stretch.max, color: '#c3ccca' },
          ]}
          min={Math.min(band.min, stretch.min)}
          max={Math.max(band.max, stretch.max)}
          histogram={band.histogram ?? []}
          onMove={(index, value) =>
            onChange({
              ...chosen,
              stretch: { ...stretch, ...(index === 0 ? { min: value } : { max: value }) },
            })
          }
        />
      )}
    </fieldset>
  )
}
