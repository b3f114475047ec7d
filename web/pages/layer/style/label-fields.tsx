import { styleTexts } from '../../../messages/layer/style/texts.ts'
import type { EditedLabel } from './edited-style.ts'
import { ColorField, NumberField, SelectField } from './small-fields.tsx'

interface Props {
  label: EditedLabel | undefined
  columns: readonly string[]
  onChange(label: EditedLabel | undefined): void
}

const usual = { size: 12, color: '#15201e', haloColor: '#ffffff', haloWidth: 1.5 }

/** Column used as label. */
export function LabelFields({ label, columns, onChange }: Props) {
  const texts = styleTexts.value.label
  const [first] = columns
  if (first === undefined) return null
  const change = (part: Partial<EditedLabel>): void => {
    if (label !== undefined) onChange({ ...label, ...part })
  }
  return (
    <fieldset class="style-fields">
      <legend class="vh">{texts.title}</legend>
      <label class="split whole">
        <b>{texts.title}</b>
        <input
          type="checkbox"
          class="switch"
          role="switch"
          aria-checked={label !== undefined}
          checked={label !== undefined}
          onChange={() => onChange(label === undefined ? { column: first, ...usual } : undefined)}
        />
      </label>
      {label !== undefined && (
        <>
          <SelectField
            label={texts.column}
            value={label.column}
            options={columns.map((value) => ({ value, text: value }))}
            onChange={(column) => change({ column })}
          />
          <NumberField
            {...{ label: texts.size, value: label.size, min: 4, max: 72, step: 1 }}
            onChange={(size) => change({ size })}
          />
          <ColorField label={texts.color} value={label.color} onChange={(color) => change({ color })} />
          <ColorField
            label={texts.haloColor}
            value={label.haloColor}
            onChange={(haloColor) => change({ haloColor })}
          />
          <NumberField
            {...{ label: texts.haloWidth, value: label.haloWidth, min: 0, max: 10, step: 0.5 }}
            onChange={(haloWidth) => change({ haloWidth })}
          />
        </>
      )}
    </fieldset>
  )
}
