import { CommandError } from '../errors.ts';
import { refuseScripts, runWithMingo } from '../expression.ts';
import { memoryExceeded, memoryLimit } from '../query/sort.ts';
import { plainExpression } from '../value/plain.ts';
import type { Document } from '../value/types.ts';
import { isDocument } from '../value/types.ts';
import { finishAll, roughSize, type Stage, sendThrough } from './stage.ts';

/** Stages that need all documents at once and that mingo knows how to do. */
export class CollectingStage implements Stage {
  readonly #name: string;
  readonly #spec: unknown;
  readonly #resolve: (name: string) => Document[];
  readonly #documents: Document[] = [];
  #size = 0;

  constructor(name: string, spec: unknown, resolve: (name: string) => Document[]) {
    refuseScripts(spec);
    this.#name = name;
    this.#spec = plainExpression(spec);
    this.#resolve = resolve;
  }

  push(batch: Document[]): Document[] {
    for (const document of batch) {
      this.#size += roughSize(document);
      this.#documents.push(document);
    }
    if (this.#size > memoryLimit) throw memoryExceeded(this.#name);
    return [];
  }

  finish(): Document[] {
    return runWithMingo({ [this.#name]: this.#spec }, this.#documents, this.#resolve);
  }
}

/** `$facet`: several pipelines over the same documents. */
export class FacetStage implements Stage {
  readonly #facets: { name: string; stages: Stage[]; results: Document[] }[];
  #size = 0;

  constructor(spec: unknown, compile: (pipeline: unknown) => Stage[]) {
    if (!isDocument(spec) || Object.keys(spec).length === 0) {
      throw new CommandError(40169, 'the $facet specification must be a non-empty object');
    }
    this.#facets = Object.entries(spec).map(([name, pipeline]) => ({
      name,
      stages: compile(pipeline),
      results: [],
    }));
  }

  async push(batch: Document[]): Promise<Document[]> {
    for (const facet of this.#facets) this.#keep(facet.results, await sendThrough(facet.stages, 0, batch));
    return [];
  }

  #keep(results: Document[], documents: Document[]): void {
    for (const document of documents) {
      this.#size += roughSize(document);
      results.push(document);
    }
    if (this.#size > memoryLimit) throw memoryExceeded('$facet');
  }

  async finish(): Promise<Document[]> {
    const result: Document = {};
    for (const { name, stages, results } of this.#facets) {
      this.#keep(results, await finishAll(stages));
      result[name] = results;
    }
    return [result];
  }
}
