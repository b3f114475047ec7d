import { useId } from 'preact/hooks'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import type { Palette } from './available-styles.ts'

interface Props {
  palettes: readonly Palette[]
  chosen: string | undefined
  isReversed: boolean
  onChoose(name: Palette['name']): void
  onReverse(): void
}

/** Palettes that colour-blind people can distinguish. */
export function Palettes({ palettes, chosen, isReversed, onChoose, onReverse }: Props) {
  const texts = styleTexts.value.palettes
  const name = useId()
  return (
    <fieldset class="palettes">
      <legend class="lbl">{texts.title}</legend>
      {palettes.map((palette) => (
        <label key={palette.name} class="one-palette">
          <input
            type="radio"
            name={name}
            checked={palette.name === chosen}
            onChange={() => onChoose(palette.name)}
          />
          <span class="vh">{texts.one(palette.name, palette.kind)}</span>
          <span class="ramp" title={palette.name}>
            {(isReversed ? [...palette.colors].reverse() : palette.colors).map((color, at) => (
              <i key={at} style={{ background: color }} />
            ))}
          </span>
        </label>
      ))}
      <label class="check whole">
        <input type="checkbox" checked={isReversed} onChange={onReverse} />
        {texts.reversed}
      </label>
    </fieldset>
  )
}
