// My Little-Go agent: the largest capture, else a point near the centre.
//
// Started once a move: reads input.txt, writes output.txt, exits. This one already plays legally.
// Make it stronger in choose; the rest you can leave as it is.
//
// Open files by their name alone, "book.txt": absolute paths do not exist on the course's machine.

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

public class my_player {
    static final int SIZE = 5;
    static final char EMPTY = '0', BLACK = '1', WHITE = '2';

    /** A legal move: the point as row * SIZE + column, the board after it, and the stones it captured. */
    static class Move {
        final int point;
        final char[][] after;
        int captured;

        Move(int point, char[][] after) {
            this.point = point;
            this.after = after;
        }

        int liberties() {
            return groupAndLiberties(after, point).get(1).size();
        }
    }

    static char opponent(char colour) {
        return colour == BLACK ? WHITE : BLACK;
    }

    static char at(char[][] board, int point) {
        return board[point / SIZE][point % SIZE];
    }

    /** The points next to a point: up, down, left and right. */
    static List<Integer> neighbours(int point) {
        int row = point / SIZE, column = point % SIZE;
        List<Integer> found = new ArrayList<>();
        if (row > 0) found.add(point - SIZE);
        if (row < SIZE - 1) found.add(point + SIZE);
        if (column > 0) found.add(point - 1);
        if (column < SIZE - 1) found.add(point + 1);
        return found;
    }

    /** The stones connected to the one here, and the empty points next to them. */
    static List<Set<Integer>> groupAndLiberties(char[][] board, int start) {
        char colour = at(board, start);
        Set<Integer> group = new HashSet<>(Arrays.asList(start)), liberties = new HashSet<>();
        Deque<Integer> toVisit = new ArrayDeque<>(group);
        while (!toVisit.isEmpty()) {
            for (int next : neighbours(toVisit.pop())) {
                if (at(board, next) == EMPTY) liberties.add(next);
                else if (at(board, next) == colour && group.add(next)) toVisit.push(next);
            }
        }
        return Arrays.asList(group, liberties);
    }

    /** The move of a stone on an empty point. */
    static Move play(char[][] board, int point, char colour) {
        Move move = new Move(point, new char[SIZE][]);
        for (int row = 0; row < SIZE; row++) move.after[row] = board[row].clone();
        move.after[point / SIZE][point % SIZE] = colour;
        for (int next : neighbours(point)) {
            if (at(move.after, next) != opponent(colour)) continue;
            List<Set<Integer>> found = groupAndLiberties(move.after, next);
            if (!found.get(1).isEmpty()) continue;
            move.captured += found.get(0).size();
            for (int stone : found.get(0)) move.after[stone / SIZE][stone % SIZE] = EMPTY;
        }
        return move;
    }

    /** Every legal move. Passing is always legal too. */
    static List<Move> legalMoves(char colour, char[][] previous, char[][] board) {
        List<Move> moves = new ArrayList<>();
        for (int point = 0; point < SIZE * SIZE; point++) {
            if (at(board, point) != EMPTY) continue; // occupied
            Move move = play(board, point, colour);
            if (move.liberties() == 0) continue; // suicide
            if (Arrays.deepEquals(move.after, previous)) continue; // ko: the board before the opponent's move
            moves.add(move);
        }
        return moves;
    }

    /** How good a move is. An earlier number outweighs all later ones. */
    static int worth(Move move) {
        int row = move.point / SIZE, column = move.point % SIZE;
        int fromCentre = Math.abs(row - SIZE / 2) + Math.abs(column - SIZE / 2);
        return 1000 * move.captured + (move.liberties() > 1 ? 100 : 0) - fromCentre;
    }

    /**
     * My move as the line of output.txt. This is the part to make stronger.
     *
     * Ideas: keep my groups from having one liberty; look at the opponent's best answer (minimax);
     * remember that only stones count at the end, and that White has 2.5 extra.
     */
    static String choose(char colour, char[][] previous, char[][] board) {
        Move best = null;
        for (Move move : legalMoves(colour, previous, board)) {
            if (best == null || worth(move) > worth(best)) best = move;
        }
        return best == null ? "PASS" : best.point / SIZE + "," + best.point % SIZE;
    }

    public static void main(String[] arguments) throws IOException {
        List<String> lines = Files.readAllLines(Paths.get("input.txt"), StandardCharsets.US_ASCII);
        char[][] previous = new char[SIZE][], board = new char[SIZE][];
        for (int row = 0; row < SIZE; row++) {
            previous[row] = lines.get(1 + row).trim().toCharArray();
            board[row] = lines.get(1 + SIZE + row).trim().toCharArray();
        }
        String move = choose(lines.get(0).trim().charAt(0), previous, board);
        Files.write(Paths.get("output.txt"), move.getBytes(StandardCharsets.US_ASCII));
    }
}
