import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { columnsTexts } from '../../../messages/import/texts.ts'
import type { Parameter, Step, TransformType, TransformTypes } from './transform-types.ts'

interface StepFormProps {
  types: readonly TransformType[]
  /** Columns that a step may name; others may be typed. */
  fields: readonly string[]
  classes: TransformTypes['classes']
  /** Step to edit; undefined for a new one. */
  step: Step | undefined
  onPut(step: Step): Promise<boolean>
  onClose(): void
}

/** A step with the parameters that its type has. */
export function StepForm({ types, fields, classes, step, onPut, onClose }: StepFormProps) {
  const texts = columnsTexts.value
  const id = useId()
  const type = useSignal(String(step?.['type'] ?? types[0]?.type ?? ''))
  const parameters = types.find((one) => one.type === type.value)?.parameters ?? []
  return (
    <form
      class="step-form"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        void onPut({ type: type.value, ...valuesOf(parameters, data) })
      }}
    >
      {step === undefined && (
        <label class="field">
          <span class="lbl">{texts.kindOfStep}</span>
          <select
            class="in"
            value={type.value}
            onChange={(event) => {
              type.value = event.currentTarget.value
            }}
          >
            {types.map((one) => (
              <option key={one.type} value={one.type}>
                {texts.stepOf(one.type)}
              </option>
            ))}
          </select>
        </label>
      )}
      <datalist id={`${id}-fields`}>
        {fields.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {parameters.map((one) => (
        <ParameterField
          key={`${type.value} ${one.name}`}
          parameter={one}
          value={step?.[one.name]}
          classes={classes}
          fieldList={`${id}-fields`}
        />
      ))}
      <div class="row wrap">
        <button type="submit" class="btn main sm">
          {step === undefined ? texts.add : texts.save}
        </button>
        <button type="button" class="btn quiet sm" onClick={onClose}>
          {texts.stop}
        </button>
      </div>
    </form>
  )
}

interface ParameterFieldProps {
  parameter: Parameter
  value: unknown
  classes: TransformTypes['classes']
  fieldList: string
}

function ParameterField({
  parameter: { name, means, isNeeded },
  value,
  classes,
  fieldList,
}: ParameterFieldProps) {
  const texts = columnsTexts.value
  const id = useId()
  const label = texts.parameter(name)
  const given = Array.isArray(value) ? value.join(means === 'texts' ? '\n' : ' ') : String(value ?? '')
  if (means === 'boolean')
    return (
      <label class="check">
        <input type="checkbox" name={name} defaultChecked={value === true || value === 'true'} />
        {label}
      </label>
    )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {means === 'class' ? (
        <select id={id} class="in" name={name} required={isNeeded} defaultValue={given}>
          {classes.map((one) => (
            <option key={one.name} value={one.name} selected={one.name === given}>
              {texts.typeOf(one.type)}
            </option>
          ))}
        </select>
      ) : means === 'texts' ? (
        <textarea id={id} class="in mono" name={name} required={isNeeded} defaultValue={given} />
      ) : (
        <input
          id={id}
          class={`in${means === 'field' ? '' : ' mono'}`}
          dir="auto"
          name={name}
          required={isNeeded}
          defaultValue={given}
          {...(means === 'field' && suggested(fieldList))}
          placeholder={means === 'crs' ? 'EPSG:25832' : means === 'pattern' ? 'dd.MM.yyyy' : undefined}
        />
      )}
    </div>
  )
}

/** Returns the values of a form in the server's format, without empty ones. */
function valuesOf(parameters: readonly Parameter[], data: FormData): Step {
  const entries = parameters.flatMap(({ name, means }): [string, unknown][] => {
    const text = String(data.get(name) ?? '')
    if (means === 'boolean') return data.has(name) ? [[name, true]] : []
    if (means === 'texts') return [[name, text.split('\n').filter((line) => line.trim() !== '')]]
    if (means === 'numbers')
      return [
        [
          name,
          text
            .split(/[\s,]+/)
            .filter((one) => one !== '')
            .map(Number),
        ],
      ]
    return text.trim() === '' ? [] : [[name, text]]
  })
  return Object.fromEntries(entries)
}

/** Allows a list of suggestions for a free-text input; the JSX types have no such input. */
function suggested(list: string): object {
  return { list }
}
