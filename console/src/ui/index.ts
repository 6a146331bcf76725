/**
 * The parts that pages are made of. They know no word of the gateway, fetch nothing, and take their texts from the page.
 *
 * - Button, IconButton, buttonClasses: `look` is primary, plain, quiet or danger; `refusal` says why it cannot be pressed
 * - TextField, TextArea, Check, Field: label above, `hint` or `error` below; `Field` wraps any other control
 * - SchemaForm: a field for each member of an object that a JSON Schema describes
 * - Select, SelectField, Segments, Menu: one of some values, one of two to four in sight, actions behind a button
 * - Dialog, FormDialog, Confirm, DeleteButton, Drawer, Tabs, Toasts with `say(title)`
 * - Table: rows of 32 px, two-line rows below 640 px by its `narrow`; VirtualTable: the same for thousands of rows
 * - Status, Banner, Notice (empty), Failure (error), SkeletonRows, Skeleton, useIsSlow: the states of a page
 * - Page (page.tsx): title, sentence and actions of a page; Figure: a number with its course
 * - Diff: two texts line by line; JsonEditor of editor/index.ts
 * - Id, CopyButton, CopyIcon, Code, Kbd: texts to copy
 * - Bars (stacked, drag chooses a time), Sparkline, Meter, colourOf, Swatch: charts
 */
export { Button, buttonClasses, IconButton } from './button.tsx';
export { type Bar, type BarPart, Bars } from './charts/bars.tsx';
export { type Colour, colourOf, paint } from './charts/colours.ts';
export { Meter } from './charts/meter.tsx';
export { Sparkline } from './charts/sparkline.tsx';
export { Swatch } from './charts/swatch.tsx';
export { classes } from './classes.ts';
export { Code } from './code.tsx';
export { CopyButton, CopyIcon, Id, useCopy } from './copy.tsx';
export { type Act, Confirm, DeleteButton } from './dialog/confirm.tsx';
export { Dialog, Drawer } from './dialog/dialog.tsx';
export { FormDialog } from './dialog/form-dialog.tsx';
export { Diff } from './diff.tsx';
export { Check, Field, type FieldIds, inputClasses, TextArea, TextField } from './field.tsx';
export { Icon, type IconName } from './icons.tsx';
export { Kbd } from './kbd.tsx';
export { useIsNarrow } from './media.ts';
export { Menu, type MenuEntry } from './menu.tsx';
export { Figure, Page, Section } from './page.tsx';
export {
  changedIn,
  isSchema,
  missingOf,
  type Schema,
  valueIn,
  type Written,
  writtenOf,
} from './schema/schema.ts';
export { SchemaForm } from './schema/schema-form.tsx';
export { Segments } from './segments.tsx';
export { type Choice, Select, SelectField } from './select.tsx';
export {
  Banner,
  Failure,
  Notice,
  Skeleton,
  SkeletonRows,
  Status,
  type Tone,
  useIsSlow,
} from './state.tsx';
export { type Column, type NarrowRow, Table } from './table/table.tsx';
export { VirtualTable } from './table/virtual-table.tsx';
export { type Tab, Tabs } from './tabs.tsx';
export { say, Toasts } from './toast.tsx';
