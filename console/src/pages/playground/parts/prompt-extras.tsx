import { Field, IconButton, TextArea } from '../../../ui/index.ts';
import { type Draft, MOST_IMAGES } from './draft.ts';

type PromptExtrasProps = { draft: Draft; onChange(part: Partial<Draft>): void };

/** What goes with a prompt now and then: functions, the shape of the answer, pictures. */
export function PromptExtras({ draft, onChange }: PromptExtrasProps) {
  const { tools, schema, images } = draft;
  return (
    <details open={tools !== '' || schema !== '' || images.length > 0}>
      <summary className="min-h-6 cursor-pointer text-muted">Tools, schema, images</summary>
      <div className="flex flex-col gap-3 pt-2">
        <TextArea
          label="Tools"
          rows={3}
          isMono
          value={tools}
          hint="A list as JSON, as the API takes it."
          onChange={({ target }) => onChange({ tools: target.value })}
        />
        <TextArea
          label="Schema of the answer"
          rows={3}
          isMono
          value={schema}
          hint="A JSON Schema; the answer is JSON of that shape."
          onChange={({ target }) => onChange({ schema: target.value })}
        />
        <Field label="Images" hint="They go with the prompt, and are kept nowhere.">
          {(ids) => (
            <input
              {...ids}
              type="file"
              accept="image/*"
              multiple
              disabled={images.length >= MOST_IMAGES}
              className="min-h-7 text-meta"
              onChange={({ target }) => {
                const files = [...(target.files ?? [])];
                target.value = '';
                void Promise.all(files.map(read)).then((more) =>
                  onChange({ images: [...images, ...more].slice(0, MOST_IMAGES) }),
                );
              }}
            />
          )}
        </Field>
        <ul className="flex flex-wrap gap-2">
          {images.map((image) => (
            <li key={image.name} className="flex items-center gap-1">
              <img src={image.url} alt={image.name} className="h-12 rounded-control border border-line" />
              <IconButton
                icon="cross"
                label={`Remove ${image.name}`}
                onClick={() => onChange({ images: images.filter((one) => one !== image) })}
              />
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

const read = (file: File): Promise<Draft['images'][number]> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
