import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { type Drawn, type EditedSymbol, marks } from './edited-style.ts'
import { ColorField, NumberField, OpacityField, SelectField } from './small-fields.tsx'

interface Props {
  symbol: EditedSymbol
  drawn: Drawn
  /** True if classes or categories have their own colours. */
  isDivided: boolean
  onChange(symbol: EditedSymbol): void
}

/** Common properties of all rules. */
export function SymbolFields({ symbol, drawn, isDivided, onChange }: Props) {
  const texts = styleTexts.value.symbol
  const change = (part: Partial<EditedSymbol>): void => onChange({ ...symbol, ...part })
  const has = (kind: Drawn): boolean => drawn === kind || drawn === 'anything'
  return (
    <fieldset class="style-fields">
      <legend class="lbl">{texts.title}</legend>
      {!isDivided && (
        <ColorField label={texts.color} value={symbol.color} onChange={(color) => change({ color })} />
      )}
      <OpacityField
        label={texts.opacity}
        value={symbol.opacity}
        onChange={(opacity) => change({ opacity })}
      />
      {has('lines') && (
        <NumberField
          {...{ label: texts.width, value: symbol.width, min: 0.1, max: 40, step: 0.25 }}
          onChange={(width) => change({ width })}
        />
      )}
      {has('points') && (
        <>
          <NumberField
            {...{ label: texts.size, value: symbol.size, min: 1, max: 80, step: 0.5 }}
            onChange={(size) => change({ size })}
          />
          <SelectField
            label={texts.mark}
            value={symbol.mark}
            options={marks.map((value) => ({ value, text: texts.marks[value] }))}
            onChange={(mark) => change({ mark })}
          />
        </>
      )}
      {(has('points') || has('areas')) && (
        <>
          <ColorField
            label={texts.lineColor}
            value={symbol.lineColor}
            onChange={(lineColor) => change({ lineColor })}
          />
          <NumberField
            {...{ label: texts.lineWidth, value: symbol.lineWidth, min: 0, max: 20, step: 0.25 }}
            onChange={(lineWidth) => change({ lineWidth })}
          />
        </>
      )}
      {has('points') && symbol.mark !== 'circle' && <p class="hint whole">{texts.markHint}</p>}
    </fieldset>
  )
}
