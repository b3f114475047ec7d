import type { Signal } from '@preact/signals'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { Limits } from '../style/limits.tsx'
import { Palettes } from '../style/palettes.tsx'
import { NumberField, OpacityField, SelectField } from '../style/small-fields.tsx'
import { type Coloring, maxColors } from './coloring.ts'
import { type EditedRaster, isColored, type RasterMode, rasterModes } from './edited-raster.ts'
import { RasterRows } from './raster-rows.tsx'
import { StretchFields } from './stretch-fields.tsx'

interface Props {
  edited: Signal<EditedRaster>
  coloring: Coloring
  /** True if the editor cannot express the style: the first choice begins a new one. */
  isForeign: boolean
  /** True if it is read-only. */
  isOff: boolean
}

/** Everything of a style of rasters that can be changed. */
export function RasterFields({ edited, coloring, isForeign, isOff }: Props) {
  const texts = styleTexts.value
  const style = edited.value
  const known = coloring.bands.value
  const error = coloring.error.value
  const able = (mode: RasterMode): boolean => {
    if (mode === 'three') return (known?.bands.length ?? 0) >= 3
    return mode !== 'values' || coloring.band(style.one.band)?.values !== undefined
  }
  return (
    <fieldset class="stack" disabled={isOff}>
      {isForeign && (
        <div class="note">
          <Icon name="info" />
          <div>{texts.foreign}</div>
        </div>
      )}
      <fieldset class="seg raster-modes" aria-label={texts.raster.mode}>
        {rasterModes.map((mode) => (
          <button
            key={mode}
            type="button"
            aria-pressed={!isForeign && style.mode === mode}
            disabled={known === undefined || !able(mode)}
            onClick={() => void coloring.spread({ mode })}
          >
            {texts.raster.modes[mode]}
          </button>
        ))}
      </fieldset>
      <p class="small dim" role="status">
        {known === undefined && error === undefined ? texts.raster.looking : texts.raster.hints[style.mode]}
      </p>
      {error !== undefined && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span dir="auto">{reasonOf(error)}</span>
        </p>
      )}
      {(style.mode === 'three' || style.mode === 'shades') && (
        <StretchFields edited={edited} coloring={coloring} />
      )}
      {isColored(style.mode) && <ColorFields edited={edited} coloring={coloring} />}
      {!isForeign && (
        <div class="style-fields">
          <OpacityField
            label={texts.symbol.opacity}
            value={style.opacity}
            onChange={(opacity) => {
              edited.value = { ...style, opacity }
            }}
          />
          {(style.mode === 'three' || style.mode === 'shades') && (
            <NumberField
              {...{ label: texts.raster.gamma, value: style.gamma, min: 0.1, max: 10, step: 0.1 }}
              onChange={(gamma) => {
                edited.value = { ...style, gamma }
              }}
            />
          )}
        </div>
      )}
    </fieldset>
  )
}

/** Maximum number of draggable limits. */
const maxHandles = 12

function ColorFields({ edited, coloring }: Pick<Props, 'edited' | 'coloring'>) {
  const texts = styleTexts.value.raster
  const style = edited.value
  const { mode, entries, one } = style
  const band = coloring.band(one.band)
  const bands = coloring.bands.value?.bands ?? []
  // A ramp has a handle at each colour, intervals at each limit between two.
  const classes = entries.map(({ value, color }) => ({ upper: value, color }))
  const last = classes.at(-1)
  const handles = mode === 'ramp' && last !== undefined ? [...classes, last] : classes
  return (
    <>
      <div class="style-fields">
        {bands.length > 1 && (
          <SelectField
            label={texts.band}
            value={String(one.band)}
            options={bands.map(({ band: number, name }) => ({
              value: String(number),
              text: texts.bandName(number, name),
            }))}
            onChange={(number) => void coloring.spread({ band: Number(number) })}
          />
        )}
        {mode !== 'values' && (
          <>
            <NumberField
              {...{ label: texts.colors, value: entries.length, min: 2, max: maxColors, step: 1 }}
              onChange={(count) => void coloring.spread({ count })}
            />
            <SelectField
              label={texts.range}
              value={coloring.isAll.value ? 'all' : 'most'}
              options={(['most', 'all'] as const).map((value) => ({ value, text: texts.ranges[value] }))}
              onChange={(value) => void coloring.spread({ isAll: value === 'all' })}
            />
          </>
        )}
      </div>
      {mode !== 'values' &&
        band?.min !== undefined &&
        band.max !== undefined &&
        handles.length <= maxHandles && (
          <Limits
            classes={handles}
            min={band.min}
            max={band.max}
            histogram={band.histogram ?? []}
            onMove={(index, value) => {
              const moved = entries.map((entry, at) => (at === index ? { ...entry, value } : entry))
              edited.value = { ...edited.peek(), entries: moved }
            }}
          />
        )}
      <Palettes
        palettes={coloring.palettes.value.filter(
          ({ kind }) => (kind === 'set') === (mode === 'values') || mode === 'values',
        )}
        chosen={coloring.palette.value}
        isReversed={coloring.isReversed.value}
        onChoose={(name) => void coloring.recolor(name, coloring.isReversed.value)}
        onReverse={() => void coloring.recolor(coloring.palette.value, !coloring.isReversed.value)}
      />
      <RasterRows
        edited={style}
        onChange={(next) => {
          edited.value = next
        }}
      />
    </>
  )
}
