import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import type { LayerFacts } from './available-styles.ts'
import { ClassRows } from './class-rows.tsx'
import { Classifying } from './classifying.ts'
import { type Drawn, type EditedStyle, isNumber, type Mode, modes, usualSymbol } from './edited-style.ts'
import { LabelFields } from './label-fields.tsx'
import { Limits } from './limits.tsx'
import { Palettes } from './palettes.tsx'
import { NumberField, SelectField } from './small-fields.tsx'
import { SymbolFields } from './symbol-fields.tsx'

interface Props {
  id: string
  layer: LayerFacts
  drawn: Drawn
  kept: EditedStyle | undefined
  edited: Signal<EditedStyle | undefined>
  /** True if it is read-only. */
  isOff: boolean
  /** True for a global style: a new style starts with other outlines. */
  isPlain: boolean
}

/** Everything of a style of features that can be changed. */
export function RuleFields({ id, layer, drawn, kept, edited, isOff, isPlain }: Props) {
  const texts = styleTexts.value
  const style = edited.value
  const columns = useMemo(() => columnsOf(layer), [layer])
  const plain: EditedStyle = style ?? { mode: 'one', symbol: usualSymbol, classes: [], categories: [] }
  const classifying = useMemo(() => new Classifying(id, edited, kept), [id, edited, kept])
  const error = classifying.error.value
  useEffect(() => {
    void classifying.begin()
    return () => classifying.stop()
  }, [classifying])
  const setMode = (mode: Mode): void => {
    if (mode === style?.mode) return
    const able = mode === 'classes' ? columns.filter((one) => one.isNumber) : columns
    const column = able.find((one) => one.name === plain.column) ?? able[0]
    if (mode === 'one') edited.value = { ...plain, mode }
    else if (column !== undefined)
      void classifying.ask({ mode, column: column.name }, isPlain ? { ...plain, symbol: usualSymbol } : plain)
  }
  return (
    <fieldset class="stack" disabled={isOff}>
      {style === undefined && (
        <div class="note">
          <Icon name="info" />
          <div>{texts.foreign}</div>
        </div>
      )}
      <fieldset class="seg" aria-label={texts.mode}>
        {modes.map((mode) => (
          <button
            key={mode}
            type="button"
            aria-pressed={style?.mode === mode}
            disabled={mode !== 'one' && !columns.some((one) => mode === 'categories' || one.isNumber)}
            onClick={() => setMode(mode)}
          >
            {texts.modes[mode]}
          </button>
        ))}
      </fieldset>
      {style !== undefined && style.mode !== 'one' && (
        <DividedFields style={style} columns={columns} classifying={classifying} edited={edited} />
      )}
      {error !== undefined && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span dir="auto">{reasonOf(error)}</span>
        </p>
      )}
      {style !== undefined && (
        <>
          <SymbolFields
            symbol={style.symbol}
            drawn={drawn}
            isDivided={style.mode !== 'one'}
            onChange={(symbol) => {
              edited.value = { ...style, symbol }
            }}
          />
          <LabelFields
            label={style.label}
            columns={columns.map(({ name }) => name)}
            onChange={(label) => {
              const { label: _old, ...rest } = style
              edited.value = label === undefined ? rest : { ...rest, label }
            }}
          />
        </>
      )}
    </fieldset>
  )
}

interface Column {
  name: string
  isNumber: boolean
}

function columnsOf({ attributes }: LayerFacts): Column[] {
  return attributes.flatMap(({ name, binding }) =>
    /\.geom\./.test(binding) || binding === '[B' ? [] : [{ name, isNumber: isNumber(binding) }],
  )
}

interface DividedProps {
  style: EditedStyle
  columns: readonly Column[]
  classifying: Classifying
  edited: Signal<EditedStyle | undefined>
}

/** Fields for the column and the classes or categories of a style. */
function DividedFields({ style, columns, classifying, edited }: DividedProps) {
  const texts = styleTexts.value
  const { mode, classes, categories } = style
  const { found, method, request, palettes, palette, isReversed, isBusy } = classifying
  const count = mode === 'classes' ? classes.length : categories.length
  const requested = useSignal(count)
  useEffect(() => {
    requested.value = count
  }, [count])
  const able = columns.filter((one) => mode === 'categories' || one.isNumber)
  const max = found.value?.bounds?.at(-1)
  const methods = mode === 'classes' ? (['quantile', 'equal', 'natural'] as const) : []
  return (
    <>
      <div class="style-fields">
        <SelectField
          label={texts.by}
          value={request.value?.column ?? style.column ?? ''}
          options={able.map(({ name }) => ({ value: name, text: name }))}
          onChange={(column) => void classifying.ask({ column }, style)}
        />
        <NumberField
          {...{
            label: texts.counts[mode === 'classes' ? 'classes' : 'categories'],
            value: requested.value,
            min: 1,
            max: 50,
            step: 1,
          }}
          onChange={(next) => {
            requested.value = next
            void classifying.ask({ count: next }, style)
          }}
        />
        {methods.length > 0 && (
          <SelectField
            label={texts.method}
            value={request.value?.method ?? method.value}
            options={[
              ...methods.map((value) => ({ value, text: texts.methods[value] })),
              ...(method.value === 'own' ? [{ value: 'own' as const, text: texts.methods.own }] : []),
            ]}
            onChange={(next) => {
              if (next !== 'own') void classifying.ask({ method: next }, style)
            }}
          />
        )}
      </div>
      <p class="small dim" role="status">
        {isBusy.value ? texts.looking : (found.value?.messages.join(' ') ?? '')}
      </p>
      {mode === 'classes' && found.value?.min !== undefined && max !== undefined && (
        <Limits
          classes={classes}
          min={found.value.min}
          max={max}
          histogram={found.value.histogram ?? []}
          onMove={(index, upper) => classifying.move(index, upper)}
        />
      )}
      <Palettes
        palettes={palettes.value.filter(
          ({ kind }) => (kind === 'set') === (mode === 'categories') || mode === 'categories',
        )}
        chosen={palette.value}
        isReversed={isReversed.value}
        onChoose={(name) => void classifying.recolor(name, isReversed.value)}
        onReverse={() => void classifying.recolor(palette.value, !isReversed.value)}
      />
      <ClassRows
        edited={style}
        onChange={(next) => {
          if (next.classes.some(({ upper }, at) => upper !== style.classes[at]?.upper)) method.value = 'own'
          edited.value = next
        }}
      />
    </>
  )
}
