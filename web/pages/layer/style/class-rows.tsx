import { Icon } from '../../../components/icon.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { classTitle, type EditedStyle } from './edited-style.ts'

interface Props {
  edited: EditedStyle
  onChange(edited: EditedStyle): void
}

/** Colour, limit and title of each class or category, as the legend will have them. */
export function ClassRows({ edited, onChange }: Props) {
  const texts = styleTexts.value.rows
  const { mode, classes, categories, others, none } = edited
  return (
    <div class="scroll">
      <table class="cls">
        <thead>
          <tr>
            <th scope="col">{texts.color}</th>
            <th scope="col">{mode === 'classes' ? texts.upper : texts.value}</th>
            <th scope="col">{texts.title}</th>
          </tr>
        </thead>
        <tbody>
          {mode === 'classes'
            ? classes.map((one, index) => (
                <ClassRow
                  key={index}
                  {...{ edited, index, onChange }}
                  title={classTitle(classes, index)}
                  one={one}
                />
              ))
            : categories.map((one, index) => (
                <CategoryRow key={String(one.value)} {...{ edited, index, onChange }} one={one} />
              ))}
          {mode === 'categories' && (
            <RestRow
              text={texts.others}
              color={others}
              usual="#636363"
              onChange={(color) => onChange(withColor(edited, 'others', color))}
            />
          )}
          <RestRow
            text={texts.none}
            color={none}
            usual="#bdbdbd"
            onChange={(color) => onChange(withColor(edited, 'none', color))}
          />
        </tbody>
      </table>
    </div>
  )
}

function withColor(edited: EditedStyle, part: 'others' | 'none', color: string | undefined): EditedStyle {
  const { [part]: _old, ...rest } = edited
  return color === undefined ? rest : { ...rest, [part]: color }
}

function replaced<T>(list: readonly T[], at: number, change: Partial<T>): T[] {
  return list.map((one, index) => (index === at ? { ...one, ...change } : one))
}

function ClassRow({
  edited,
  index,
  one,
  title,
  onChange,
}: Props & { index: number; one: EditedStyle['classes'][number]; title: string }) {
  const texts = styleTexts.value.rows
  const isLast = index === edited.classes.length - 1
  const set = (part: Partial<typeof one>): void =>
    onChange({ ...edited, classes: replaced(edited.classes, index, part) })
  return (
    <tr>
      <td>
        <Swatch label={texts.colorOf(title)} value={one.color} onChange={(color) => set({ color })} />
      </td>
      <td class="num">
        {isLast ? (
          <span class="dim">{texts.noLimit}</span>
        ) : (
          <input
            class="in num"
            type="number"
            step="any"
            aria-label={texts.upperOf(index + 1)}
            value={one.upper}
            onChange={({ currentTarget }) => {
              const upper = currentTarget.valueAsNumber
              if (fits(edited.classes, index, upper)) set({ upper })
              else currentTarget.value = String(one.upper)
            }}
          />
        )}
      </td>
      <td>
        <input
          class="in"
          dir="auto"
          aria-label={texts.titleOf(title)}
          placeholder={title}
          value={one.title ?? ''}
          onInput={({ currentTarget }) =>
            onChange({
              ...edited,
              classes: edited.classes.map((other, at) =>
                at === index ? retitled(other, currentTarget.value) : other,
              ),
            })
          }
        />
      </td>
    </tr>
  )
}

/** An empty title is the default. */
function retitled<T extends { title?: string }>(one: T, title: string): T {
  const { title: _old, ...rest } = one
  return (title === '' ? rest : { ...rest, title }) as T
}

function fits(classes: EditedStyle['classes'], index: number, upper: number): boolean {
  const lower = classes[index - 1]?.upper ?? Number.NEGATIVE_INFINITY
  const next = index + 2 < classes.length ? (classes[index + 1]?.upper ?? upper) : upper
  return Number.isFinite(upper) && upper >= lower && upper <= next
}

function CategoryRow({
  edited,
  index,
  one,
  onChange,
}: Props & { index: number; one: EditedStyle['categories'][number] }) {
  const texts = styleTexts.value.rows
  const text = String(one.value)
  const { categories } = edited
  return (
    <tr>
      <td>
        <Swatch
          label={texts.colorOf(text)}
          value={one.color}
          onChange={(color) => onChange({ ...edited, categories: replaced(categories, index, { color }) })}
        />
      </td>
      <td>
        <span class="row">
          <span class="cell" dir="auto">
            {text}
          </span>
          <button
            type="button"
            class="btn quiet ic sm"
            aria-label={texts.remove(text)}
            onClick={() => onChange({ ...edited, categories: categories.filter((_, at) => at !== index) })}
          >
            <Icon name="x" />
          </button>
        </span>
      </td>
      <td>
        <input
          class="in"
          dir="auto"
          aria-label={texts.titleOf(text)}
          placeholder={text}
          value={one.title ?? ''}
          onInput={({ currentTarget }) =>
            onChange({
              ...edited,
              categories: categories.map((other, at) =>
                at === index ? retitled(other, currentTarget.value) : other,
              ),
            })
          }
        />
      </td>
    </tr>
  )
}

/** Values outside the classes: drawn in a colour, or not at all. */
function RestRow({
  text,
  color,
  usual,
  onChange,
}: {
  text: string
  color: string | undefined
  usual: string
  onChange(color: string | undefined): void
}) {
  const texts = styleTexts.value.rows
  return (
    <tr>
      <td>
        {color !== undefined && <Swatch label={texts.colorOf(text)} value={color} onChange={onChange} />}
      </td>
      <td colSpan={2}>
        <label class="check">
          <input
            type="checkbox"
            checked={color !== undefined}
            onChange={() => onChange(color === undefined ? usual : undefined)}
          />
          {text}
        </label>
      </td>
    </tr>
  )
}

/** A colour that is chosen. */
export function Swatch({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange(value: string): void
}) {
  return (
    <input
      class="swatch"
      type="color"
      aria-label={label}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
