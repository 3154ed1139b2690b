// Made from /api/openapi.json by `python -m tests.apps.web.api_types`: do not edit.

export interface About {
  "version": string;
  "local": boolean;
  "owner": boolean;
  "student": StudentShown | null;
  "has_class": boolean;
  "editions": (EditionLine)[];
}

export interface Agent {
  "id": string;
  "name": string;
  "label": string;
  "jobs": { [key: string]: string };
  "path": string | null;
  "student": string | null;
  "created"?: number | null;
  "updated"?: number | null;
}

export interface AgentName {
  "name": string;
  "spelling": string;
  "stages"?: { [key: string]: string };
}

export interface AgentPath {
  "player": string;
}

export interface Analysis {
  "id"?: string | null;
  "turnNumber"?: number | null;
  "isDuringSearch"?: boolean | null;
  "exact"?: boolean | null;
  "rootInfo"?: RootInfo | null;
  "moveInfos"?: (MoveInfo)[] | null;
  "action"?: string | null;
  "version"?: string | null;
  "warning"?: string | null;
  "error"?: string | null;
  "field"?: string | null;
}

export interface BatchGraded {
  "stage": string;
  "title": string;
  "points": number;
  "max_points": number;
  "complete": boolean;
  "cpu_seconds": number;
  "budget_seconds": number;
  "budget_binding": boolean;
  "overrun": boolean;
  "problem"?: string;
  "opponents": (OpponentGrade)[];
}

export interface Body_take_in_api_decks_import_post {
  "text": string;
}

export interface Body_take_in_api_games_import_post {
  "text": string;
}

export interface Branch {
  "ply": number;
  "moves"?: (string)[];
  "black"?: string;
  "white"?: string;
  "names"?: { [key: string]: any };
}

export interface ByColour {
  "black": number;
  "white": number;
}

export interface CheckJob {
  "id": string;
  "kind": "check";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": Checked | null;
}

export interface CheckLine {
  "title": string;
  "status": "passed" | "remark" | "failed" | "skipped";
  "detail": string;
}

export interface Checked {
  "checks": (CheckLine)[];
}

export interface ColourGrade {
  "games": number;
  "wins": number;
  "win_rate": number;
  "interval_95": (number)[];
}

export interface DeckId {
  "id": string;
}

export interface DeckJob {
  "id": string;
  "kind": "deck";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": DeckMade | null;
}

export interface DeckLine {
  "id": string;
  "name": string;
  "drills": number;
  "tried": number;
  "solved": number;
}

export interface DeckMade {
  "deck": string;
  "drills": number;
  "left_out": number;
}

export interface DrillAnswer {
  "right": boolean;
  "accepted": (string)[];
  "played": string | null;
  "drills": number;
  "tried": number;
  "solved": number;
}

export interface DrillMove {
  "drill": string;
  "move": string;
}

export interface EditionLine {
  "name": string;
  "size": number;
  "any_size": boolean;
  "stages": (string)[];
}

export interface Game {
  "black": string;
  "white": string;
  "rules": RulesShown;
  "start_move": number;
  "first": "black" | "white";
  "moves": (string)[];
  "seconds": (number)[];
  "boards": (string)[];
  "kos": (string | null)[];
  "captured": ByColour;
  "to_move": "black" | "white";
  "legal": (string)[];
  "illegal": { [key: string]: string };
  "score": ByColour;
  "plies_left": number;
  "unsolvable": string | null;
  "outcome": OutcomeShown | null;
  "id": string;
  "version": number;
  "seats": Seats;
  "thinking": boolean;
  "trouble": string | null;
  "elapsed": number;
}

export interface GameLine {
  "id": string;
  "updated": number;
  "black": string;
  "white": string;
  "size": number;
  "moves": number;
  "winner": "black" | "white" | null;
  "verdict": string | null;
  "you": "black" | "white" | null;
  "result": "won" | "lost" | "tie" | "unfinished" | "other";
  "final": (string)[];
  "seats": Seats;
}

export interface GameValues {
  "values": ("black" | "white" | "tie" | null)[];
}

export interface Grade {
  "agent": AgentName;
  "edition": string;
  "edition_digest"?: string;
  "stage": string;
  "seed": number;
  "limits": { [key: string]: number | null };
  "points": number;
  "earned"?: number | null;
  "late_days"?: number;
  "max_points": number;
  "complete": boolean;
  "problem": string;
  "failures": (string)[];
  "games": number;
  "planned_games": number;
  "counted_repeat": number;
  "cpu_seconds": number;
  "isolation": string;
  "runtime": string;
  "lacked_here"?: string;
  "repeats": (Repeat)[];
  "regret": { [key: string]: any } | null;
}

export interface GradeJob {
  "id": string;
  "kind": "grade";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": Grade | null;
}

export interface GradeRequest {
  "edition"?: string;
  "stage"?: string;
  "repeats"?: number | null;
  "again"?: boolean;
}

export interface GradingLine {
  "id": string;
  "job": string;
  "edition": string;
  "stage": string;
  "repeats": number | null;
  "digest": string;
  "created": number;
  "state": string;
  "points": number | null;
  "max_points": number | null;
  "complete": boolean | null;
  "report": boolean;
}

export interface Invalid {
  "detail": string | (Misfit)[];
}

export interface JobAhead {
  "id": string;
  "title": string;
  "done": number;
  "total": number;
}

export interface JobLine {
  "id": string;
  "kind": string;
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
}

export interface KeptMistake {
  "game": string;
  "ply": number;
}

export interface LearnedValues {
  "to_move": "black" | "white";
  "values": { [key: string]: number };
}

export interface LearnedValuesRequest {
  "edition"?: string;
  "size"?: number | null;
  "komi"?: number | null;
  "max_moves"?: number | null;
  "moves"?: (string)[];
  "model"?: string;
}

export interface LearnerChoice {
  "cells": string;
  "to_move": "black" | "white";
  "played": number;
  "move": string;
  "winning": (string)[];
}

export interface LineShown {
  "black": string;
  "white": string;
  "rules": RulesShown;
  "start_move": number;
  "first": "black" | "white";
  "moves": (string)[];
  "seconds": (number)[];
  "boards": (string)[];
  "kos": (string | null)[];
  "captured": ByColour;
  "to_move": "black" | "white";
  "legal": (string)[];
  "illegal": { [key: string]: string };
  "score": ByColour;
  "plies_left": number;
  "unsolvable": string | null;
  "outcome": OutcomeShown | null;
}

export interface LostGame {
  "id": number;
  "repeat": number;
  "game": number;
  "colour": "black" | "white";
  "verdict": string | null;
  "outcome": string;
  "remarks": (string)[];
  "stderr": string;
  "record": { [key: string]: any };
}

export interface Measure {
  "games": number;
  "wins": { [key: string]: (number)[] };
  "coverage": number;
  "value_error": number | null;
  "regret": number | null;
  "by_stage"?: ((number)[])[];
  "by_point"?: (number)[];
}

export interface Misfit {
  "loc": (string)[];
  "msg": string;
  "type": string;
}

export interface MoveInfo {
  "move": string;
  "order": number;
  "winrate": number;
  "scoreLead": number;
  "exactLead": boolean;
  "visits": number;
  "exact": boolean;
  "pv": (string)[];
}

export interface MoveReviewed {
  "number": number;
  "colour": "black" | "white";
  "move": string;
  "before": "black" | "white" | "tie" | null;
  "after": "black" | "white" | "tie" | null;
  "verdict": string;
  "good_moves": (string)[] | null;
  "one_good_move": string | null;
  "margin_before": number | null;
  "margin_after": number | null;
  "slip": number | null;
  "is_mistake": boolean;
  "illegal": { [key: string]: string };
  "words": string;
  "better": string;
  "sentence": string;
  "challenge": string;
  "keeps": string;
  "tone": string;
  "sign": string;
}

export interface MoveValues {
  "key": string;
  "to_move": "black" | "white";
  "plies_left": number;
  "value": "black" | "white" | "tie" | "unknown";
  "values": { [key: string]: "black" | "white" | "tie" };
  "missing": (string)[];
  "leads": { [key: string]: number };
  "leads_missing": number;
  "margins_left": number;
  "state": "settled" | "working" | "paused" | "given_up";
  "words": string;
}

export interface NewDeck {
  "player"?: string;
}

export interface NewGame {
  "edition"?: string;
  "size"?: number | null;
  "komi"?: number | null;
  "max_moves"?: number | null;
  "moves"?: (string)[];
  "black"?: string;
  "white"?: string;
  "seed"?: number | null;
  "names"?: { [key: string]: any };
}

export interface NewTicTacToe {
  "games"?: number;
  "alpha"?: number;
  "epsilon"?: number;
  "seed"?: number;
}

export interface NewTournament {
  "players": (string)[];
  "name"?: string;
  "format"?: string;
  "games"?: number | null;
  "rounds"?: number | null;
  "edition"?: string;
  "size"?: number | null;
  "seed"?: number;
  "openings"?: number;
}

export interface NewTraining {
  "games"?: number;
  "alpha"?: number;
  "epsilon"?: number;
  "opponents"?: ("self" | "random" | "greedy" | "aggressive" | "alphabeta")[];
  "representation"?: "patterns" | "table";
  "seed"?: number;
}

export interface NextDrill {
  "black": string;
  "white": string;
  "rules": RulesShown;
  "start_move": number;
  "first": "black" | "white";
  "moves": (string)[];
  "seconds": (number)[];
  "boards": (string)[];
  "kos": (string | null)[];
  "captured": ByColour;
  "to_move": "black" | "white";
  "legal": (string)[];
  "illegal": { [key: string]: string };
  "score": ByColour;
  "plies_left": number;
  "unsolvable": string | null;
  "outcome": OutcomeShown | null;
  "id": string;
  "deck": string;
  "title": string;
  "difficulty": "easy" | "medium" | "hard" | null;
  "drills": number;
  "tried": number;
  "solved": number;
}

export interface Nothing {

}

export interface OpponentGrade {
  "opponent": string;
  "points": number;
  "max_points": number;
  "rubric_line": string;
  "games": number;
  "planned_games": number;
  "wins": number;
  "losses": number;
  "ties": number;
  "win_rate": number;
  "interval_95": (number)[];
  "distinct_games": number;
  "forfeits": number;
  "by_colour": { [key: string]: ColourGrade };
  "cpu_seconds": number;
  "slowest_move_seconds": number;
  "lost": (LostGame)[];
}

export interface OpponentResults {
  "opponent": string;
  "won": number;
  "lost": number;
  "tie": number;
}

export interface OutcomeShown {
  "winner": "black" | "white" | null;
  "verdict": string;
  "text": string;
}

export interface Pair {
  "black": string;
  "white": string;
  "games": number;
  "black_wins": number;
  "white_wins": number;
  "ties": number;
}

export interface Place {
  "rank": number;
  "player": string;
  "points": number;
  "matches_won": number;
  "matches_lost": number;
  "matches_open": number;
  "games_won": number;
}

export interface PlaceRequest {
  "edition"?: string;
  "size"?: number | null;
  "komi"?: number | null;
  "max_moves"?: number | null;
  "moves"?: (string)[];
  "game"?: string | null;
  "ply"?: number | null;
}

export interface PlayMove {
  "move": string;
  "at"?: number | null;
}

export interface Played {
  "games": number;
}

export interface PlayerLine {
  "name": string;
  "summary": string;
  "rating": number | null;
  "quick": boolean;
}

export interface PlayersRequest {
  "players": (string)[];
}

export interface Problem {
  "detail": string;
}

export interface Repeat {
  "repeat": number;
  "points": number;
  "batches": (BatchGraded)[];
}

export interface Review {
  "summary": string;
  "complete": boolean;
  "losing_move": number | null;
  "forfeited": string | null;
  "value_at_the_end": "black" | "white" | "tie" | null;
  "margins_left": number;
  "moves": (MoveReviewed)[];
}

export interface ReviewJob {
  "id": string;
  "kind": "review";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": Review | null;
}

export interface RootInfo {
  "currentPlayer": "B" | "W";
  "winrate": number;
  "scoreLead": number;
  "exactLead": boolean;
  "visits": number;
  "exact": boolean;
}

export interface RulesShown {
  "edition": string;
  "size": number;
  "komi": number;
  "max_moves": number;
  "passing": boolean;
  "ko": "simple" | "positional";
}

export interface Seats {
  "black": string;
  "white": string;
}

export interface Standing {
  "player": string;
  "games": number;
  "wins": number;
  "losses": number;
  "ties": number;
  "as_black": WinsLosses;
  "as_white": WinsLosses;
  "forfeits": number;
  "distinct_games": number;
  "win_rate": number;
  "interval_95": (number)[];
  "rating"?: number | null;
  "rating_interval_95"?: (number)[] | null;
  "superiority"?: number | null;
  "risen": number | null;
  "score"?: number | null;
  "buchholz"?: number | null;
  "byes"?: number | null;
}

export interface StudentShown {
  "name": string;
  "called": string;
}

export interface TicTacToe {
  "curve": (TicTacToePoint)[];
  "truth"?: (number)[];
}

export interface TicTacToeJob {
  "id": string;
  "kind": "tictactoe";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": TicTacToe | null;
}

export interface TicTacToePoint {
  "games": number;
  "first": number;
  "second": number;
  "draws": number;
  "values": (number)[];
}

export interface TodaysPuzzle {
  "black": string;
  "white": string;
  "rules": RulesShown;
  "start_move": number;
  "first": "black" | "white";
  "moves": (string)[];
  "seconds": (number)[];
  "boards": (string)[];
  "kos": (string | null)[];
  "captured": ByColour;
  "to_move": "black" | "white";
  "legal": (string)[];
  "illegal": { [key: string]: string };
  "score": ByColour;
  "plies_left": number;
  "unsolvable": string | null;
  "outcome": OutcomeShown | null;
  "id": string;
  "deck": string;
  "title": string;
  "difficulty": "easy" | "medium" | "hard" | null;
  "drills": number;
  "tried": number;
  "solved": number;
  "date": string;
}

export interface TokenRequest {
  "token": string;
}

export interface Tournament {
  "id": string;
  "name": string;
  "job": string | null;
  "created"?: number | null;
  "updated"?: number | null;
  "format": string;
  "rules": TournamentRules;
  "limits": { [key: string]: number | null };
  "seed": number;
  "games_a_pair": number;
  "planned_games": number | null;
  "games": number;
  "recent_games": number;
  "distinct_games": number;
  "verdicts": { [key: string]: number };
  "black_advantage": number;
  "black_advantage_interval_95": (number)[];
  "standings": (Standing)[];
  "competition"?: (Place)[] | null;
  "crosstable": (Pair)[];
}

export interface TournamentGame {
  "number": number;
  "black": string;
  "white": string;
  "moves": number;
  "winner": "black" | "white" | null;
  "verdict": string | null;
  "text": string;
  "forfeit": boolean;
  "capsule": boolean;
}

export interface TournamentJob {
  "id": string;
  "kind": "tournament";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": Played | null;
}

export interface TournamentLine {
  "id": string;
  "name": string;
  "job": string | null;
  "created"?: number | null;
  "updated"?: number | null;
}

export interface TournamentRules {
  "edition": string;
  "size": number;
  "komi": number;
  "max_moves": number;
  "ko": "simple" | "positional";
  "ending": "two_passes" | "no_move";
  "attempts": number;
}

export interface Training {
  "model": string;
  "test_games": number;
  "curve": (Measure)[];
  "choices"?: (LearnerChoice)[];
}

export interface TrainingJob {
  "id": string;
  "kind": "train";
  "title": string;
  "state": "waiting" | "running" | "done" | "failed" | "cancelled";
  "done": number;
  "total": number;
  "message": string;
  "result_version": number;
  "crashes": number;
  "created": number;
  "updated": number;
  "waiting_for": JobAhead | null;
  "seconds": number | null;
  "result": Training | null;
}

export interface ValuesRequest {
  "edition"?: string;
  "size"?: number | null;
  "komi"?: number | null;
  "max_moves"?: number | null;
  "moves"?: (string)[];
  "game"?: string | null;
  "ply"?: number | null;
  "leads"?: boolean;
}

export interface Week {
  "week": string;
  "games": number;
  "won_positions": number;
  "thrown_away": number;
}

export interface Weeks {
  "weeks": (Week)[];
  "not_reviewed": (string)[];
}

export interface WinsLosses {
  "wins": number;
  "losses": number;
  "ties": number;
}

export interface Get {
  (path: `/api/tournaments/${string}/games/${string}/capsule.json`): Promise<any>;
  (path: `/api/agents/${string}/gradings/${string}/report.html`): Promise<any>;
  (path: `/api/tournaments/${string}/games/${string}/values`): Promise<GameValues>;
  (path: `/api/tournaments/${string}/report.html`): Promise<any>;
  (path: `/api/agents/${string}/report.html`): Promise<any>;
  (path: `/api/tournaments/${string}/games/${string}`): Promise<LineShown>;
  (path: `/api/tournaments/${string}/games` | `/api/tournaments/${string}/games?${string}`): Promise<(TournamentGame)[]>;
  (path: `/api/agents/${string}/gradings`): Promise<(GradingLine)[]>;
  (path: `/api/games/${string}/values`): Promise<GameValues>;
  (path: `/api/tournaments/${string}`): Promise<Tournament>;
  (path: `/api/decks/${string}.json`): Promise<any>;
  (path: `/api/decks/${string}/next`): Promise<NextDrill>;
  (path: `/api/decks/today`): Promise<TodaysPuzzle>;
  (path: `/api/tournaments`): Promise<(TournamentLine)[]>;
  (path: `/api/decks/${string}.zip`): Promise<any>;
  (path: `/api/games/${string}.sgf` | `/api/games/${string}.sgf?${string}`): Promise<any>;
  (path: `/api/jobs/queue`): Promise<(JobLine)[]>;
  (path: `/api/agents/${string}`): Promise<Agent>;
  (path: `/api/players`): Promise<(PlayerLine)[]>;
  (path: `/api/results` | `/api/results?${string}`): Promise<(OpponentResults)[]>;
  (path: `/api/agents`): Promise<(Agent)[]>;
  (path: `/api/games/${string}`): Promise<Game>;
  (path: `/api/about`): Promise<About>;
  (path: `/api/decks`): Promise<(DeckLine)[]>;
  (path: `/api/games` | `/api/games?${string}`): Promise<(GameLine)[]>;
  (path: `/api/jobs/${string}`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/weeks` | `/api/weeks?${string}`): Promise<Weeks>;
  (path: `/api/jobs` | `/api/jobs?${string}`): Promise<(JobLine)[]>;
}

export interface Post {
  (path: `/api/tournaments/${string}/games/${string}/open`): Promise<Game>;
  (path: `/api/tournaments/${string}/players`, body?: PlayersRequest): Promise<Tournament>;
  (path: `/api/tournaments/${string}/run`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/learn/tictactoe`, body?: NewTicTacToe): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/decks/${string}/answers`, body?: DrillMove): Promise<DrillAnswer>;
  (path: `/api/learn/training`, body?: NewTraining): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/agents/${string}/check`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/agents/${string}/grade`, body?: GradeRequest): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/games/${string}/branch`, body?: Branch): Promise<Game>;
  (path: `/api/games/${string}/resign`): Promise<Game>;
  (path: `/api/games/${string}/review`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/decks/import`, body?: Body_take_in_api_decks_import_post): Promise<DeckId>;
  (path: `/api/games/${string}/moves`, body?: PlayMove): Promise<Game>;
  (path: `/api/games/${string}/retry`): Promise<Game>;
  (path: `/api/games/import`, body?: Body_take_in_api_games_import_post): Promise<Game>;
  (path: `/api/jobs/${string}/cancel`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/jobs/${string}/resume`): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/learn/values`, body?: LearnedValuesRequest): Promise<LearnedValues>;
  (path: `/api/games/${string}/undo`): Promise<Game>;
  (path: `/api/tournaments`, body?: NewTournament): Promise<TournamentLine>;
  (path: `/api/decks/kept`, body?: KeptMistake): Promise<DeckId>;
  (path: `/api/positions`, body?: PlaceRequest): Promise<LineShown>;
  (path: `/api/analysis`, body?: { [key: string]: any }): Promise<(Analysis)[]>;
  (path: `/api/agents`, body?: AgentPath): Promise<Agent>;
  (path: `/api/values`, body?: ValuesRequest): Promise<MoveValues>;
  (path: `/api/decks`, body?: NewDeck): Promise<ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob>;
  (path: `/api/enter`, body?: TokenRequest): Promise<Nothing>;
  (path: `/api/games`, body?: NewGame): Promise<Game>;
  (path: `/api/leave`): Promise<Nothing>;
}

export interface Put {
  (path: `/api/games/import`, body: Blob): Promise<Game>;
  (path: `/api/agents` | `/api/agents?${string}`, body: Blob): Promise<Agent>;
}

export interface Delete {
  (path: `/api/agents/${string}`): Promise<Nothing>;
  (path: `/api/decks/${string}`): Promise<Nothing>;
}
